"""Word classes of the chunker: the words that decide how a phrase is built.

Tags say what a word is; for some words that is not enough. 使 takes a clause where 买 takes a noun, 的 makes modifiers
and 了 does not, 如果 begins a clause that wants another. The classes below were put together from grammars of Mandarin
and from reading what the cascade makes of newspaper text; they name words only, so that anybody can check them.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# --- tags -------------------------------------------------------------------------------------------------------------

NOUN_TAGS = _words("n nr ns nt nx nz j vn an Ng s g x na vvn")
TIME_TAGS = _words("t Tg")
VERB_TAGS = _words("v Vg")
ADJECTIVE_TAGS = _words("a z Ag")
ATTRIBUTE_TAGS = _words("b Bg h")
ADVERB_TAGS = _words("d ad vd Dg o")
NUMBER_TAGS = _words("m Mg")
IDIOM_TAGS = _words("i l")
PARTICLE_TAGS = _words("y Yg")
STRAY_TAGS = _words("na vvn Yg")
"""Tags that stand once each in the tagged People's Daily and mean n, vn and y."""

COMMON_NOUN_TAGS = _words("n vn an Ng s")

# --- nouns, pronouns, numbers -----------------------------------------------------------------------------------------

PRONOUNS = _words(
    "我 你 您 他 她 它 我们 你们 他们 她们 它们 咱 咱们 俺 自己 自身 自我 大家 人家 别人 他人 谁 什么 啥 彼此 "
    "双方 本人 本身 其 己 这里 那里 这儿 那儿 哪里 此间 其中 有人 前者 后者 两者 之 此 一切 这 那 本报 各地 各界 "
    "各国"
)
FOLLOWING_PRONOUNS = _words("自己 本身 自身 本人 双方 大家 之一 之类 各界 各地 各国 各族 各自 彼此 全体")
"""Pronouns that follow what they stand for: 他 自己."""
ADVERBIAL_PRONOUNS = _words("如何 怎么 怎样 怎 为什么 为何 这样 那样 如此 这么 那么 多么 何时 怎么样 何以")
DETERMINERS = _words(
    "这 那 该 各 每 某 本 此 另 任何 其他 其它 诸 哪 其余 别的 有的 有些 某些 各级 各种 各项 各类 各个 一切 何 什么"
)
TIME_PRONOUNS = _words("每年 每天 每月 每日 每周 每次 这时 那时 这天 那天 此时 此后 此前 当时")
PERSON_CLASSIFIERS = _words("位 名")
"""Classifiers of people: 一 位 老师 写 的 书 is a book by a teacher, 一 本 老师 写 的 书 is one book."""
ROUND_NUMBERS = _words("左右 以上 以下 上下 多 余 许 之多")
COUNTING_WORDS = _words("各 各级 各类 各项 各个 各种 许多 不少 一些 大量 全部 部分 多数 大多数 多 几 两 三 四")
SERIES_CLASSIFIERS = _words("届 次 期 轮 号 级 类 代")
"""Classifiers that count within a name: 第九 届 委员会 第一 次 会议."""
FUSED_CLASSIFIERS = frozenset("个种项条位名家批件座部")
ENUMERATION_ENDS = _words("等 等等 云云")

# --- localisers -------------------------------------------------------------------------------------------------------

LOCALISERS = _words(
    "中 上 后 下 里 前 内 来 以来 之间 期间 外 间 起 之后 底 以后 初 之中 周围 之际 之前 前夕 末 以前 面前 之外 "
    "附近 以外 前后 中间 之上 之内 之下 当中 旁 旁边 身后 背后 里面 上面 下面 前面 后面 外面 脚下 底下 以内 以上 "
    "以下 左右 里边 上边 下边 外边 两侧 两旁 四周 对面 一侧 一带 内外 上下 之初 之时 初期 中期 后期 前期 末期 "
    "早期 以北 以南 以东 以西 跟前 边上 上方 下方"
)
TEMPORAL_LOCALISERS = _words("后 前 时 以来 之后 以后 之前 以前 之际 起 之时 期间 前夕")
"""Localisers that follow clauses as well as nouns: 他 来 后."""
LOCALISER_NOUNS = _words("时 际")

# --- verbs ------------------------------------------------------------------------------------------------------------

MODALS = _words(
    "能 会 要 可以 应 应该 可 可能 能够 须 愿 愿意 敢 肯 应当 想 该 不能 不会 不得 想要 得以 不可 不应 不该 不要 "
    "必须 足以 难以 值得 便于 便 需 须要 不可能 不愿 不敢 不肯 不宜"
)
COMPLEMENT_VERBS = _words(
    "好 上 下 来 去 起 起来 出 出来 出去 进 进来 进去 到 住 完 成 见 掉 开 走 满 过 过来 过去 回 回来 回去 入 给 "
    "为 作 下来 下去 上来 上去 开来 成为 清 透 倒 着 破 死 动 懂 尽 够 做 齐 遍 至 向 往"
)
"""Verbs that say how far the verb before them went: 追 上, 看 完, 走 进."""
ASPECTS = _words("了 着 过")
CLAUSE_VERBS = _words(
    "使 让 令 叫 使得 致使 促使 迫使 说 认为 表示 指出 强调 知道 希望 相信 以为 觉得 感到 发现 看到 见到 听说 "
    "报道 宣布 证明 表明 显示 说明 意味着 建议 主张 决定 保证 确保 估计 预计 预测 怀疑 承认 坚信 获悉 得知 看见 "
    "听见 想到 怕 担心 声称 透露 呼吁 规定 认识到 深信 期待 盼望 祝 祝愿 提醒 告诉 据说 标志着 体会到 感觉 断定 "
    "猜 听到 意识到 难怪 以至 反映 介绍 请 祝贺 任 由 是因为 忘记 记得 问"
)
"""Verbs whose complement is a clause with a subject of its own."""
MAKING_VERBS = _words("使 使得 让 促使 致使 迫使 请 派 叫")
CAUSE_VERBS = _words(
    "使 让 令 叫 使得 致使 促使 迫使 请 派 供 给 受 有 无 没有 由 带 随 跟 用 得到 受到 深受 经 去 来 到 向 替 陪 帮"
)
"""Verbs that may stand, with a noun, before another verb in one relative clause: 令 人 感动 的 书."""
INTENT_VERBS = _words(
    "开始 继续 喜欢 爱 希望 要求 决定 打算 准备 试图 争取 力争 力求 予以 加以 给予 用于 用来 来 去 需要 想 有利于 "
    "善于 敢于 勇于 乐于 致力于 着手 停止 避免 防止 允许 同意 主张 建议 忙着 坚持 有助于 学会 负责 保证 确保 鼓励 "
    "促使 企图 渴望 旨在 着力 注意 注重 忙于 从事 便于 利于 急于 立志 设法 尝试 计划 获准 前往 前来 赶来 能否 "
    "是否 敢 肯 一再 帮助 进行 加快 继而 协助 参与 不断"
)
"""Verbs after which a bare verb goes on: 开始 写 他 的 书."""
DUTY_VERBS = _words("要 应 应该 可以 必须 应当 须 将 不要")
"""Modals and adverbs that rather stand in a main clause."""
NAMING_VERBS = _words("是 成为 为 等于 即 就是 属于 算 像 如 作为 不是 只是 正是 也是 都是")
DESCRIBING_VERBS = _words(
    "来自 位于 关于 富有 含有 带有 从事 涉及 适合 面向 有关 主管 身穿 身着 致力于 围绕 出身 献身 热爱"
)
"""Verbs that describe more often than they tell: with a noun and 的 they are rather a modifier than a predicate."""
PLACE_VERBS = _words(
    "在 位于 处于 来自 置身 生活 存在 用于 设 建 住 坐 站 躺 挂 放 摆 写 埋 藏 居住 工作 发生 安装 坐落 源 毕业 出生"
)
"""Verbs that describe by a place: 设 在 北京 的 公司."""
MEASURE_VERBS = _words("达 长达 超过 多达 高达 占 近 不足 历时 为期 历经 不到 达到 高 长 约")
LIGHT_VERBS = _words(
    "进行 作 作出 做 做出 给予 保持 采取 实行 实施 造成 产生 带来 表示 构成 提供 举行 发表 付出 持 抱 抱有 持有 感 感到"
)

# --- heads of modifiers -----------------------------------------------------------------------------------------------

CLAUSE_NOUNS = _words(
    "时候 同时 过程 情况 前提 情形 人 人们 地方 时间 时刻 日子 可能 可能性 消息 原因 事实 决心 机会 目的 必要性 "
    "重要性 局面 热潮 信念 愿望 能力 权利 说法 想法 做法 场面 情景 道路 习惯 迹象 传统 途径 状况 现象 方式 办法 "
    "方法 单位 部门 人员 者"
)
"""Nouns that a whole clause explains: 他 来 北京 的 时候."""
ACTIVITY_NOUNS = _words("工作 活动 要求 计划 行动 服务 研究 生活 教育 斗争 运动 建设")
"""Nouns made of verbs that a predicate may explain; before others a noun with 的 says who or what: 气候 的 变化."""
PLAIN_ATTRIBUTES = _words(
    "重要 伟大 优秀 具体 基本 重大 著名 根本 特殊 正确 真正 主要 全面 必要 唯一 新 老 全 旧 不同 相同 一般 共同 "
    "实际 有关 良好 积极 有力 直接 严峻 最新 真实 崭新 广阔 美好 光辉 崇高 深刻 明显 成功 有效 合理 一定 正常 "
    "最大 最高 许多 众多 最好"
)
"""Adjectives that belong to the noun after them even where a noun stands before: 社会 重要 的 力量."""
WHOLE_NOUNS = _words(
    "我国 全国 世界 全世界 社会 国家 人民 党 全党 本国 全市 全省 人类 国际 企业 公司 政府 我党 我军 各国 中央 祖国"
)
DEGREE_ADVERBS = _words(
    "最 更 较 很 极 非常 特别 比较 更加 十分 极为 更为 较为 相当 颇 太 极其 尤其 最为 格外 越来越 不 并不 日益 "
    "如此 这么 那么 挺 好 异常 分外"
)
TENSE_ADVERBS = _words("已 已经 正在 正 尚未 将 都 均 仍 仍然")
"""Adverbs before which a noun is rather a subject than an object: 见到 工程 已 完成."""
SUPERLATIVES = _words("最 最为 首 更 更加 更为")
MAIN_ADVERBS = _words(
    "已 已经 将 正 正在 也 就 都 还 又 并 必须 仍 却 便 再 仍然 终于 先后 共 均 只 更 一定 当然 可 竟 才 刚 刚刚 "
    "没 没有"
)
"""Adverbs that rather stand in a main clause than in a relative one."""

# --- prepositions -----------------------------------------------------------------------------------------------------

OUTER_PREPOSITIONS = _words(
    "把 将 据 根据 按照 按 关于 对于 随着 针对 除 除了 为了 通过 经过 至于 依照 依据 鉴于 基于 凭 凭着 凭借 当 "
    "每当 沿着 自从 作为 本着 就 因 由于 因为 连 连同 像 如同 比 较 有关 随"
)
"""Prepositions that take a noun with its relative clause: 把 [他 写 的 书]; the others stand in the clause."""
TOPIC_PREPOSITIONS = _words("对 对于 关于 有关 针对 与 同 和 跟 在 于 向 自 从")
"""Prepositions whose phrase may modify a noun with 的: 对 经济 的 影响."""
PURPOSE_PREPOSITIONS = _words(
    "据 为 为了 以 用 通过 由于 因为 因 随着 经过 除 除了 至于 靠 凭 自 自从 当 每当 在 从 经 到 直到 对 把 将 "
    "按照 按 根据 关于"
)
"""Prepositions that may take a predicate: 为了 提高 质量."""
VERBAL_PREPOSITIONS = _words("为 为了 通过 用 由于 因为 因 随着 经过 除 除了 靠 自从 当 每当 从 经 到 直到 据")
"""Prepositions after which a verb with its object is rather a predicate than the beginning of a relative clause."""
CLAUSE_PREPOSITIONS = _words("据 经 随着 由于 因为 因 当 每当 自从")
"""Prepositions that may take a clause with its subject: 随着 经济 发展."""
PATH_PREPOSITIONS = _words("在 于 给 到 自 向 至 往 以 为 由")
"""Prepositions that follow their verb: 住 在 北京."""
CLOSE_PREPOSITIONS = _words("于 自 至 到 往")
FRAME_ENDS = _words("来说 而言 来讲 来看 看来 起见 在内 一样 似的 般 一般 的话 而外 开外 来")
PASSIVES = _words("被 给 由 让 叫 为")

# --- conjunctions -----------------------------------------------------------------------------------------------------

NOUN_CONJUNCTIONS = _words("和 与 及 以及 或 或者 同 暨 及其 跟 、 或是 乃至 抑或 还是 直至")
PHRASE_CONJUNCTIONS = _words(
    "并 并且 而 而且 或 或者 以及 、 和 与 及 以 但 但是 从而 进而 又 还是 乃至 甚至 并非 或是 然后 且 同时 因而 "
    "以至 以致 因此 所以 而是 可 却 可是 不过 然而 于是 则"
)
SUBORDINATORS = _words(
    "如果 虽然 因为 尽管 只要 只有 即使 不管 无论 无论是 不论 由于 若 若是 如 假如 倘若 倘 即便 哪怕 既然 虽 虽说 "
    "要是 除非 不仅 不但 之所以 一旦 不光 非但 与其 假若 如若 纵使 就算 因 任 凡 不只 自从 随着 每当"
)
"""Words that begin a clause which wants another; some are tagged as adverbs or prepositions."""
