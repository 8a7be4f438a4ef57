import { expect, test } from 'vitest'
import { invitationEmail } from '../../src/features/members/rules/invitation-email.ts'

const link = 'https://crm.acme.io/invitations/0123'
const email = (fields: Partial<Parameters<typeof invitationEmail>[0]>) =>
  invitationEmail({ workspace: 'Acme', inviter: 'Ana', role: 'client_editor', role_name: null, link, days: 7, ...fields })

test.each([
  ['client_admin', null, 'where you may administer the workspace.'],
  ['client_editor', null, 'where you may see and change its records.'],
  ['client_viewer', null, 'where you may see its records.'],
  ['night_shift', 'Night shift', 'where you have the role “Night shift”.'],
  ['constructor', 'Constructor', 'where you have the role “Constructor”.'],
  ['gone', null, 'where you have a role that the workspace has made.'],
])('the role %s is put into words', (role, role_name, words) => {
  expect(email({ role, role_name }).text).toContain(words)
})

test.each([
  ['Win now at https://evil.example/x today', 'Win now at today'],
  ['www.evil.example', ''],
  ['Go to evil.example/login', 'Go to'],
  ['ask bo@evil.example', 'ask'],
  ['javascript://x', ''],
  ['Booking.com', 'Booking.\u200bcom'],
  ['J. R. Smith & Sons Ltd.', 'J. R. Smith & Sons Ltd.'],
  ['Ünal.De', 'Ünal.\u200bDe'],
])('the name %j makes no link, whoever has it', (name, shown) => {
  const { subject, text, html } = email({ workspace: name, inviter: name, role: 'own', role_name: name })
  expect(subject).toBe(`${shown || 'A colleague'} invites you to ${shown || 'a workspace'}`)
  for (const body of [subject, text, html]) {
    const rest = body.replaceAll(link, '')
    expect(rest).not.toMatch(/:\/\/|www\.|@|[\p{L}\p{N}]\.[\p{L}\p{N}]/u)
  }
})
