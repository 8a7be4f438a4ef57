import { expect, test } from 'vitest'
import { secondsUntilNext } from '../../src/features/lead-gen/plans/dispatch.ts'
import { type DueInitiative, type DueTask, decide } from '../../src/features/lead-gen/rules/decide.ts'

/** A Wednesday, within the window of the initiative. */
const NOW = new Date('2026-03-04T10:00:00Z')
const TOMORROW = '2026-03-05T09:00:00.000Z'
const TASK: DueTask = {
  id: 'task',
  enrolment_id: 'enrolment',
  step_id: 'step',
  contact_id: 'contact',
  is_email: true,
  action_type: 'send_email',
  step_is_active: true,
  consent_basis: 'consent',
  recipient: {
    archived: false,
    email: 'ana@example.com',
    phone: '+61412345678',
    email_unsubscribed: false,
    sms_unsubscribed: false,
    whatsapp_unsubscribed: false,
    suppressed: [],
    configured: ['email', 'sms', 'whatsapp'],
    quiet_hours: null,
    timezone: 'UTC',
    state: null,
    country: null,
  },
}
const INITIATIVE: DueInitiative = {
  id: 'initiative',
  version: 7,
  send_window_start: '09:00',
  send_window_end: '17:00',
  send_days: [0, 1, 2, 3, 4, 5, 6],
  timezone: 'UTC',
  daily_send_cap: 5,
  min_gap_seconds: 60,
  workspace_zone: 'UTC',
  local_date: '2026-03-04',
  sent: 0,
  next_at: null,
  next_due: null,
  is_full: false,
  tasks: [TASK],
}
type Changes = { initiative?: Partial<DueInitiative>; task?: Partial<DueTask>; recipient?: Partial<DueTask['recipient']> }
const due = ({ initiative = {}, task = {}, recipient = {} }: Changes): DueInitiative => ({
  ...INITIATIVE,
  tasks: [{ ...TASK, ...task, recipient: { ...TASK.recipient, ...recipient } }],
  ...initiative,
})
const sms = { is_email: false, action_type: 'send_sms' }
const whatsapp = { is_email: false, action_type: 'send_whatsapp' }
const calls = { is_email: false, action_type: 'create_task' }
const quiet = { quiet_hours: { from: '09:30', to: '11:00' } }

test.each<[string, Changes, [action: string, reason: string | null, until: string | null]]>([
  ['is due and reachable', {}, ['fire', null, null]],
  ['is of a step that was turned off', { task: { step_is_active: false } }, ['skip', 'step_inactive', null]],
  ['is due outside the window', { initiative: { send_window_start: '11:00' } }, ['wait', 'outside_window', '2026-03-04T11:00:00.000Z']],
  ['is for an archived contact', { recipient: { archived: true } }, ['end', 'archived', null]],
  ['calls an archived contact', { task: calls, recipient: { archived: true } }, ['end', 'archived', null]],
  ['has no basis in a country that is not known', { task: { consent_basis: 'none' } }, ['end', 'no_consent', null]],
  [
    'has no basis in a country that wants one',
    { task: { consent_basis: 'none' }, recipient: { country: 'Germany' } },
    ['end', 'no_consent', null],
  ],
  [
    'has no basis in a country that wants none',
    { task: { consent_basis: 'none' }, recipient: { country: 'France' } },
    ['fire', null, null],
  ],
  ['is for a country that is none', { task: { consent_basis: 'none' }, recipient: { country: 'Atlantis' } }, ['end', 'no_consent', null]],
  ['writes no message and has no basis', { task: { ...calls, consent_basis: 'none' } }, ['fire', null, null]],
  ['has no address', { recipient: { email: null } }, ['end', 'no_address', null]],
  ['has no number', { task: sms, recipient: { phone: null } }, ['end', 'no_address', null]],
  ['has a premium number', { task: sms, recipient: { phone: '+611900123456' } }, ['end', 'no_address', null]],
  ['is for who has unsubscribed', { recipient: { email_unsubscribed: true } }, ['end', 'unsubscribed', null]],
  ['is for who wants no texts', { task: sms, recipient: { sms_unsubscribed: true } }, ['end', 'unsubscribed', null]],
  ['is for who wants no WhatsApp', { task: whatsapp, recipient: { whatsapp_unsubscribed: true } }, ['end', 'unsubscribed', null]],
  ['is an email to who wants no texts', { recipient: { sms_unsubscribed: true } }, ['fire', null, null]],
  ['is for a suppressed address', { recipient: { suppressed: ['email'] } }, ['end', 'suppressed', null]],
  [
    'has a channel that is not set up',
    { task: sms, recipient: { configured: ['email'] } },
    ['defer', 'channel_not_configured', '2026-03-04T11:00:00.000Z'],
  ],
  ['meets quiet hours', { recipient: quiet }, ['defer', 'quiet_hours', '2026-03-04T11:00:00.000Z']],
  ['calls in quiet hours', { task: calls, recipient: quiet }, ['fire', null, null]],
  ['is an email when the cap is reached', { initiative: { sent: 5 } }, ['wait', 'daily_cap', TOMORROW]],
  ['is an email when the cap of yesterday was reached', { initiative: { sent: 5, local_date: '2026-03-03' } }, ['fire', null, null]],
  ['is no email when the cap is reached', { initiative: { sent: 5 }, task: sms }, ['fire', null, null]],
  ['is an email within the gap', { initiative: { next_at: '2026-03-04T10:00:30Z' } }, ['wait', 'min_gap', '2026-03-04T10:00:30.000Z']],
  ['is an email at the end of the gap', { initiative: { next_at: NOW.toISOString() } }, ['fire', null, null]],
  [
    'is an email of a day that is counted already as over',
    { initiative: { local_date: '2026-03-05' } },
    ['wait', 'outside_window', TOMORROW],
  ],
])('a step that %s', (_, changes, [action, reason, until]) => {
  const day = reason === 'outside_window' && changes.initiative?.send_window_start ? null : '2026-03-04'
  expect(decide(due(changes), NOW)).toEqual([{ task_id: 'task', initiative_id: 'initiative', version: 7, action, reason, day, until }])
})

test('of several emails at once one is sent, and the others follow after the gap and up to the cap', () => {
  const tasks = ['a', 'b', 'c'].map((id) => ({ ...TASK, id }))
  const reasons = (changes: Partial<DueInitiative>) => decide({ ...INITIATIVE, tasks, ...changes }, NOW).map(({ reason }) => reason)
  expect(reasons({})).toEqual([null, 'min_gap', 'min_gap'])
  expect(reasons({ min_gap_seconds: 0, sent: 3 })).toEqual([null, null, 'daily_cap'])
})

test.each<[string, Partial<DueInitiative>, number | null]>([
  ['nothing is left', { tasks: [] }, null],
  ['a task can be done now', {}, 0],
  ['the gap ends in half a minute', { next_at: '2026-03-04T10:00:30Z' }, 30],
  ['the next task is due in the window', { tasks: [], next_due: '2026-03-04T10:05:00Z' }, 300],
  ['the next task is due before the window opens', { tasks: [], next_due: '2026-03-05T03:00:00Z' }, 23 * 3600],
  ['the window is open on no day of the next weeks', { tasks: [], next_due: '2026-03-05T03:00:00Z', send_days: [] }, 41 * 3600],
])('an initiative is looked at again when %s', (_, changes, seconds) => {
  expect(secondsUntilNext({ ...INITIATIVE, ...changes }, NOW)).toBe(seconds)
})
