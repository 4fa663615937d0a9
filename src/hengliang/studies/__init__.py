"""The studies that come with hengliang, each a short Python file with a function `study(quick)`."""
