import { expect, test } from 'vitest'
import { MAX_REPLY } from '../../src/features/auto-responders/rules/auto-responders.ts'
import { approvalReasons, type Draft, type Source } from '../../src/features/auto-responders/rules/drafts.ts'

const ENTRY: Source = {
  source: 'entry.1',
  text: 'Repairs cost 1 300 dollars. Write to help@mill.example, or see mill.example/repairs.',
  is_entry: true,
}
const RECORD: Source = { source: 'contact.1', text: 'Ana: call 0412 345 678', is_entry: false }
const REPLY = 'Repairs cost $1,300.'
const CLAIM = { text: REPLY, source: ENTRY.source }
type Circumstances = Parameters<typeof approvalReasons>[1]

const reasons = (draft: Partial<Draft> = {}, circumstances: Partial<Circumstances> = {}) =>
  approvalReasons(
    { reply: REPLY, claims: [CLAIM], ...draft },
    { mode: 'auto_send', channel: 'sms', sources: [ENTRY, RECORD], hasCalled: false, isQuiet: false, ...circumstances },
  )
/** A reply that is one claim of the entry. */
const saying = (reply: string, source = ENTRY.source): Partial<Draft> => ({ reply, claims: [{ text: reply, source }] })

test.each<[string, Partial<Draft>]>([
  ['cites what it says', {}],
  ['writes a number otherwise', saying('It is 1300 dollars.')],
  ['has the address and the link of the entry', saying('Write to HELP@mill.example (or mill.example/repairs).')],
  ['has a record besides', saying('Ana, we call you.', RECORD.source)],
  [
    'has claims that are empty or contain each other',
    { claims: [CLAIM, { text: ' ', source: ENTRY.source }, { text: 'Repairs', source: ENTRY.source }] },
  ],
  ['is as long as it may be', saying('a'.repeat(MAX_REPLY.sms))],
])('a reply that %s goes out', (_, draft) => {
  expect(reasons(draft)).toEqual([])
})

test.each<[string, Partial<Draft>, Partial<Circumstances>, reason: string]>([
  ['is a draft', {}, { mode: 'draft' }, 'has the mode draft'],
  ['comes in quiet hours', {}, { isQuiet: true }, 'quiet hours'],
  ['was written after a call of a tool', {}, { hasCalled: true }, 'called a tool'],
  ['cites nothing', { reply: 'Thank you.', claims: [] }, {}, 'cites no source'],
  ['cites what was not given', saying('Thank you.', 'entry.2'), {}, '“entry.2”, which the model was not given'],
  ['says more than it cites', { reply: `${REPLY} And a gift.` }, {}, 'without a source: “And a gift.”'],
  ['has a foreign address', saying('Write to evil@other.example.'), {}, '“evil@other.example”'],
  ['has a foreign link', saying('See https://other.example'), {}, '“https://other.example”'],
  ['has a foreign host', saying('See other.example!'), {}, '“other.example”'],
  ['has an address with a character that is not seen', saying('See mill\u200b.exa\u00admple.evil.com'), {}, '“mill.example.evil.com”'],
  ['has a number that no entry has', saying('It is 1,301 dollars.'), {}, 'the number 1301'],
  ['has a number of a record', saying('Call 0412 345 678.', RECORD.source), {}, 'the number 0412345678'],
  ['is too long for its channel', saying('a'.repeat(MAX_REPLY.sms + 1)), {}, `longer than ${MAX_REPLY.sms}`],
])('a reply that %s waits for approval', (_, draft, circumstances, reason) => {
  expect(reasons(draft, circumstances)).toEqual([expect.stringContaining(reason)])
})

test('a long email may go out', () => {
  expect(reasons(saying('a'.repeat(MAX_REPLY.sms + 1)), { channel: 'email' })).toEqual([])
})
