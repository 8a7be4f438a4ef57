/** Questions, with the guide that answers each. */
export const WANTED = [
  { guide: 'idempotency.md', question: 'What happens when a request is sent twice with the same Idempotency-Key?' },
  { guide: 'approvals.md', question: 'When is an approval stale?' },
  { guide: 'webhooks.md', question: 'How is the signature of a webhook verified?' },
  { guide: 'pagination.md', question: 'How is the next page of a list read with a cursor?' },
  { guide: 'merging.md', question: 'How are two contacts merged, and how is a merge undone?' },
  { guide: 'imports-and-exports.md', question: 'How are the columns of a CSV file mapped to fields in an import?' },
  { guide: 'scheduling.md', question: 'Which slots are free for a booking?' },
  { guide: 'skills.md', question: 'What does the run of a skill cost in credits?' },
  { guide: 'transcripts.md', question: 'How is a recording transcribed with its speakers?' },
  { guide: 'auto-responders.md', question: 'How many replies does a conversation get from an auto responder within 24 hours?' },
]

export const UNKNOWN = 'Who won the tennis final in 1987?'

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/\p{L}{4,}/gu))

/** The sentence of a passage that has most words of the question. */
export function claimFrom(passage: string, question: string): string {
  const prose = passage.replace(/```[\s\S]*?(```|$)/g, '').replace(/^\s*(?:\||#|- |\d+\. ).*$/gm, '')
  const sentences = (prose.match(/[^.!?\n]{20,}[.!?](?=\s|$)/g) ?? [passage]).map((sentence) => sentence.trim())
  const wanted = wordsOf(question)
  const score = (sentence: string) => wordsOf(sentence).intersection(wanted).size
  return sentences.toSorted((a, b) => score(b) - score(a))[0] ?? passage
}
