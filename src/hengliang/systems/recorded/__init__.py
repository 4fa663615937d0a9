"""Who answers with what somebody has recorded?"""
