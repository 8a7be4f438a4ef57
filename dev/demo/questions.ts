/** Questions, with the guide that answers each and words of its sentence that does. */
export const WANTED = [
  {
    guide: 'idempotency.md',
    question: 'What happens when a request is sent twice with the same Idempotency-Key?',
    says: 'without doing it twice',
  },
  { guide: 'approvals.md', question: 'When is an approval stale?', says: 'the approval is stale' },
  { guide: 'webhooks.md', question: 'How is the signature of a delivery verified?', says: 'Verify the body as it was received' },
  { guide: 'pagination.md', question: 'How are lists read page by page?', says: 'with a cursor' },
  { guide: 'merging.md', question: 'For how long can a merge of duplicate contacts be undone?', says: 'for 30 days' },
  {
    guide: 'imports-and-exports.md',
    question: 'Which columns of an import are not imported?',
    says: 'lists the columns that are not imported',
  },
  {
    guide: 'scheduling.md',
    question: 'What happens when two requests book a slot that somebody else took first?',
    says: 'exactly one books',
  },
  { guide: 'skills.md', question: 'What does a run of a skill reserve and settle in credits?', says: 'settles what it has used' },
  { guide: 'transcripts.md', question: 'How is a recording transcribed with its speakers?', says: 'with speakers and times' },
  {
    guide: 'auto-responders.md',
    question: 'How many replies does a conversation get from an auto responder within 24 hours?',
    says: 'at most five replies',
  },
]

export const UNKNOWN = 'Who won the tennis final in 1987?'

/** The sentence of the text that has these words. */
export function sentenceWith(text: string, words: string): string | undefined {
  const at = text.indexOf(words)
  if (at < 0) return undefined
  const before = [...text.slice(0, at).matchAll(/[.!?:]\s+|\n(?:- |\d+\. )?/g)].at(-1)
  const after = /[.!?](?=\s|$)|\n/.exec(text.slice(at))
  const from = before ? before.index + before[0].length : 0
  return text
    .slice(from, after ? at + after.index + after[0].length : text.length)
    .replace(/^- /, '')
    .trim()
}
