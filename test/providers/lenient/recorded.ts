import { plainText } from './comparing.ts'
import type { Report } from './reports.ts'

/** The most characters of a line that are recorded. */
const LONGEST = 500

/** What is recorded of a provider's clients: what each call sends, what it returns, and what it makes of other answers. */
export function recordOf(name: string, { given, requests, meanings }: Report): Record<string, string[]> {
  const known = new Map<string, string>()
  const record = Object.entries(given).map(([step, result]): [string, string[]] => {
    const makes = byMeaning(meanings, step).map(cut)
    const same = known.get(makes.join())
    known.set(makes.join(), same ?? step)
    const sent = (requests[step] ?? []).map((text) => cut(`sends ${plainText(text)}`))
    const others = same === undefined ? makes : [`makes of others what ${same} makes of them`]
    return [`${name} ${step}`, [...sent, cut(`returns ${plainText(result)}`), ...others].sort()]
  })
  return Object.fromEntries(record)
}

const cut = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)

/** A line for each meaning, with the answers that have it. A refusal that means what its status means is not among them. */
function byMeaning(meanings: Report['meanings'], step: string): string[] {
  const answers = new Map<string, string[]>()
  for (const [answer, { [step]: meaning }] of Object.entries(meanings)) {
    const same = answers.get(meaning ?? '') ?? []
    if (meaning !== undefined && !same.includes(answer.split(' ')[0] as string)) answers.set(meaning, [...same, answer])
  }
  return [...answers].map(([meaning, of]) => `makes ${meaning} of ${of.join(', ')}`)
}
