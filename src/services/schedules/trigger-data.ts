import { type SQL, sql } from 'drizzle-orm'
import { memberships, users } from '../../../schema/index.ts'

/** The main fields of a member. A person's own name is visible to the workspace once they have joined. */
export const personData = (): SQL =>
  sql`jsonb_build_object('id', ${memberships.user_id}, 'name', coalesce(case when ${memberships.joined_at} is not null then ${users.full_name} end,
    ${memberships.invite_name}), 'email', ${users.email}, 'role', ${memberships.role})`

/** The tasks that meet a condition, by when they are due, at most so many. */
export const tasksOf = (matches: SQL, most: number): SQL =>
  sql`(select coalesce(jsonb_agg(t.task order by t.due_at, t.id), '[]') from (select tasks.id, tasks.due_at, jsonb_build_object('id', tasks.id,
    'title', tasks.title, 'status', tasks.status, 'priority', tasks.priority, 'due_at', iso(tasks.due_at), 'contact_id', tasks.contact_id,
    'customer_id', tasks.customer_id, 'opportunity_id', tasks.opportunity_id) as task
    from tasks where ${matches} order by tasks.due_at, tasks.id limit ${most}::int) t)`
