import { expect, test } from 'vitest'
import { spokenPhone } from '../../../src/features/scheduling/rules/voice/arguments.ts'

test.each([
  ['oh four one two, double three, triple nine', '041233999'],
  ['plus six one four nought zero', '+61400'],
  ['+61 four', '+614'],
  ['my number is four, five', '45'],
  ['four one of the constructor', '41'],
  ['0412 345 678', '0412 345 678'],
  ['the constructor', 'the constructor'],
])('%j is the number %j', (spoken, number) => {
  expect(spokenPhone(spoken)).toBe(number)
})
