import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import type { QuietHours } from '../../../domain/quiet-hours.ts'
import { type Reservation, toReservation } from '../../messages/plans/send-message.ts'
import {
  type BirthdayTemplate,
  birthdayMessages,
  birthdaysAround,
  type Celebrant,
  type Open,
  scheduleBirthdays,
} from '../rules/birthday.ts'
import type { BirthdayResult } from '../rules/results.ts'

/** A workspace that was claimed (claim_birthdays). */
export type ClaimedWorkspace = {
  workspace_id: string
  company: string
  templates: BirthdayTemplate[]
  quiet_hours: QuietHours
  lease: string
  groups: { birthday: number; zone: string | null }[]
}
/** A contact to deal with (due_birthdays). */
export type DueContact = Celebrant & { id: string; day: string; year: number; expires_at: string }
/** What a contact gets in one channel (save_birthdays). */
export type BirthdayRow = {
  contact_id: string
  year: number
  day: string
  channel: string
  result: BirthdayResult
  message: Reservation | null
}

export const claimWorkspaces = (now: Date, limit: number): Statement =>
  call('claim_birthdays', now.toISOString(), `{${birthdaysAround(now).join(',')}}`, limit)

/** Which of the workspace's contacts may get their messages now, and when to look again. */
export const openIn = ({ groups, quiet_hours }: ClaimedWorkspace, now: Date) => scheduleBirthdays(groups, quiet_hours, now)

export const dueContacts = ({ workspace_id }: ClaimedWorkspace, open: Open[], limit: number): Statement =>
  call('due_birthdays', workspace_id, JSON.stringify(open), limit)

export const saveRows = ({ workspace_id }: ClaimedWorkspace, rows: BirthdayRow[]): Statement =>
  call('save_birthdays', workspace_id, JSON.stringify(rows))

export const finishWorkspace = ({ workspace_id, lease }: ClaimedWorkspace, next: Date): Statement =>
  call('finish_birthdays', workspace_id, lease, next.toISOString())

/** What contacts get: a message in each channel that has a template and reaches them. */
export const rowsFor = (workspace: ClaimedWorkspace, contacts: DueContact[], now: Date): BirthdayRow[] =>
  contacts.flatMap((contact) => {
    const { id, year, day, expires_at } = contact
    return birthdayMessages(contact, workspace, day, now).messages.map(
      ({ channel, result, recipient, subject, text, html }): BirthdayRow => {
        const row = { contact_id: id, year, day, channel }
        if (result !== 'queued' || recipient === null || text === null) return { ...row, result, message: null }
        const message = toReservation({
          channel,
          purpose: 'birthday',
          contact_id: id,
          recipient,
          subject,
          text,
          html,
          expires_at,
          dedupe_key: `birthday:${id}:${year}:${channel}`,
        })
        return 'code' in message ? { ...row, result: 'channel_not_configured', message: null } : { ...row, result, message }
      },
    )
  })
