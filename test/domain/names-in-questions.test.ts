import { expect, test } from 'vitest'
import { mergeRankings, namesIn } from '../../src/features/knowledge/rules/ai-search.ts'

test.each([
  ['When does Ana Lee of Harbour Renovations prefer to be called?', ['Ana Lee', 'Harbour Renovations']],
  ['harbour renovations', ['harbour renovations']],
  ['Ana Lee wants to know how long she can send the goods back', ['Ana Lee', 'Lee']],
  ['which invoices did we send to ana@example.com in the last week?', ['ana@example.com']],
  ['who has called us from +61 412 345 678 on last Monday evening?', ['+61 412 345 678', 'Monday']],
  ['how long can a customer send the goods back to us?', []],
  ['what does Müller & Söhne’s foreman know about the roof and the yard?', ['Müller & Söhne']],
])('%s', (question, names) => {
  expect(namesIn(question)).toEqual(names)
})

test('rankings are merged by rank', () => {
  expect(mergeRankings([[{ id: 'a' }, { id: 'b' }], [{ id: 'c' }, { id: 'a' }], []], 3).map(({ id }) => id)).toEqual(['a', 'c', 'b'])
})
