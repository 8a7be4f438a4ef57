import { eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { contacts } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { type Keys, page } from '../../../data/page.ts'
import { Page } from '../../../data/paged.ts'
import { read } from '../../../data/plan.ts'
import { mapResult } from '../../../data/query.ts'
import { dayIn } from '../../../domain/local-days.ts'
import { recipientColumns } from '../../contacts/plans/reachability.ts'
import { zoneOfContact } from '../../contacts/rules/local-zone.ts'
import { type BirthdayTemplate, birthdayMessages, birthdaysOn, morningOf, openingOf, yearOf } from '../rules/birthday.ts'
import type { birthdayPreviewQuery } from '../schemas/birthdays.ts'

const columns = {
  ...recipientColumns,
  id: contacts.id,
  first_name: contacts.first_name,
  last_name: contacts.last_name,
  date_of_birth: sql<string>`${contacts.date_of_birth}`.as('date_of_birth'),
  relationship_started_at: contacts.relationship_started_at,
  templates: sql<BirthdayTemplate[]>`(select s.birthday_messages from crm_settings s)`.as('templates'),
  company: sql<string>`(select w.name from workspaces w)`.as('company'),
  last_year: sql<
    number | null
  >`(select max(b.year) from birthday_deliveries b where b.contact_id = contacts.id and b.result = 'queued')`.as('last_year'),
}
const select = (keys: Keys) => db.select({ ...columns, ...keys }).from(contacts)

/** Lists the contacts with a birthday on a day, with the messages that they would get. It decides as the cron job does. */
export async function previewBirthdays(ctx: Ctx, query: v.InferOutput<typeof birthdayPreviewQuery>) {
  const day = query.date ?? dayIn(await ctx.zone(), ctx.now)
  const [first, second] = birthdaysOn(day).map((birthday) => eq(contacts.birthday, birthday))
  const rows = page({
    select,
    id: contacts.id,
    where: second ? [] : [first],
    either: first && second ? [first, second] : undefined,
    sorts: { id: contacts.id },
    name: `birthdays ${day}`,
    query: { ...query, sort: 'id' },
  })
  return read(
    mapResult(
      rows,
      ({ items, limit, next }) =>
        new Page(
          items.map((row) => previewOf(row, day)),
          limit,
          next,
        ),
    ),
  )
}

type Row = ReturnType<typeof select>['_']['result'][number]

function previewOf(row: Omit<Row, keyof Keys>, day: string) {
  const { timezone } = zoneOfContact(row, row.workspace_zone)
  const opening = openingOf(day, timezone, row.quiet_hours)
  const contact = { ...row, zone: timezone }
  const { years, template, messages } = birthdayMessages(contact, row, day, opening ?? morningOf(day, timezone))
  return {
    contact_id: row.id,
    first_name: row.first_name,
    last_name: row.last_name,
    years,
    template_year: template?.year ?? null,
    timezone,
    send_at: opening?.toISOString() ?? null,
    already_sent: Number(row.last_year) === yearOf(day),
    messages: messages.map(({ channel, result, recipient, subject, text }) => ({ channel, result, recipient, subject, text })),
  }
}
