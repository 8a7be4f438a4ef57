/**
 * What a memory was learnt from: somebody (a member or a contact), a conversation or one message of it, or the run of a skill or an
 * automation.
 */
export const MEMORY_SOURCES = ['member', 'contact', 'conversation', 'message', 'run'] as const
/** What happens to earlier memories with the same subject and topic: their validity ends, or all of them stay valid and name each other. */
export const ON_CONFLICT = ['supersede', 'keep'] as const

/** The most characters of a memory: it is one fact. */
export const MAX_MEMORY = 2_000
/** The most memories that a search compares, the latest: the comparison is exact. */
export const MAX_COMPARED = 20_000
/** The most hits of a search, and the most contradicting memories that one names. */
export const MAX_HITS = 20
export const MAX_CONFLICTS = 10

export type MemoryText = { topic: string | null; text: string }

/** What the vector of a memory stands for. */
export const embeddedText = ({ topic, text }: MemoryText): string => (topic === null ? text : `${topic}: ${text}`)
