import { type SQL, sql } from 'drizzle-orm'
import * as v from 'valibot'
import { memberships, users } from '../../../../schema/index.ts'

/** The main fields of a member. */
export const personData = (): SQL =>
  sql`jsonb_build_object('id', ${memberships.user_id},
    'name', (select p.name from member_profile(${memberships.workspace_id}, ${memberships.user_id}) p),
    'email', ${users.email}, 'role', ${memberships.role})`

/** The tasks that meet a condition, by when they are due, at most so many. */
export const tasksOf = (matches: SQL, most: number): SQL =>
  sql`(select coalesce(jsonb_agg(t.task order by t.due_at, t.id), '[]')
    from (select tasks.id, tasks.due_at, jsonb_build_object('id', tasks.id,
    'title', tasks.title, 'status', tasks.status, 'priority', tasks.priority, 'due_at', iso(tasks.due_at), 'contact_id', tasks.contact_id,
    'customer_id', tasks.customer_id, 'opportunity_id', tasks.opportunity_id) as task
    from tasks where ${matches} order by tasks.due_at, tasks.id limit ${most}::int) t)`

const fields = (names: string[]) => Object.fromEntries(names.map((name) => [name, v.nullable(v.string())]))
const task = v.object(fields(['id', 'title', 'status', 'priority', 'due_at', 'contact_id', 'customer_id', 'opportunity_id']))
const person = fields(['id', 'name', 'email', 'role'])
const contact = fields(['id', 'first_name', 'last_name', 'name', 'email', 'phone', 'contact_type', 'customer_id', 'assigned_to'])
const deal = fields([
  ...['id', 'name', 'status', 'value', 'currency', 'pipeline_id', 'stage_id', 'customer_id', 'assigned_to', 'expected_close_date'],
])
/** The names in what a schedule gives its runs, for each kind of audience. A test compares them with the previews of audiences. */
export const SCHEDULE_DATA = [v.object({ ...person, tasks: v.array(task) }), v.object(contact), v.object(deal)]
