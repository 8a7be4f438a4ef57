import { expect, test } from 'vitest'
import { accessFaults } from '../../src/features/notepads/rules/notepads.ts'

const user = (user_id: string) => ({ user_id, role: null }) as never
const role = (name: string) => ({ user_id: null, role: name }) as never
const both = { user_id: 'a', role: 'client_admin' } as never
const neither = { user_id: null, role: null } as never

test.each([
  ['a member and a role', 'restricted', [user('a'), role('client_admin')], []],
  ['two members and two roles', 'restricted', [user('a'), role('r'), user('b'), role('s')], []],
  ['a member twice', 'restricted', [user('a'), user('b'), user('a')], ['access.2']],
  ['a role twice, and a member after it', undefined, [role('r'), role('r'), user('a')], ['access.1']],
  ['both in an entry, and neither', 'restricted', [both, user('a'), neither], ['access.0', 'access.2']],
  ['nobody', 'restricted', [], ['access']],
  ['nothing', 'restricted', undefined, ['access']],
  ['no change of the visibility', undefined, [], []],
  ['somebody, though it is private', 'private', [user('a')], ['access']],
  ['nobody, and it is private', 'private', [], []],
  ['only that it is private', 'private', undefined, []],
] as const)('an access list with %s has these faults', (_, visibility, access, paths) => {
  const faults = accessFaults({ ...(visibility && { visibility }), ...(access && { access: [...access] }) } as never)
  expect(faults.map(({ path }) => path)).toEqual(paths)
})
