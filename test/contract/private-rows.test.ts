import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setPersonalScopes } from '../../dev/workspace.ts'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'
import { costNow, startCounting } from './blocks.ts'

/**
 * Lists of what mailboxes contain. Beside two hundred conversations of the team, which are the oldest and half of which are the member's to
 * answer, a member has few of them in one workspace and very many in another: nobody reads more for these, neither that member, nor those
 * who do not see them, nor an auditor, who does.
 */

const OF_TEAM = 200
const SIZES = [60, proving ? 200_000 : 10_000]
const LISTS = [
  ...[
    '',
    '?is_read=false',
    '?direction=inbound',
    '?status=active',
    '?sort=last_message_at',
    '?participant=rep@example.com',
    '?contact_id=<contact>',
  ].map((query) => `/email/threads${query}`),
  ...['', '?channel=email', '?unread=true', '?status=open', '?unassigned=true', '?assigned_to=<member>'].map(
    (query) => `/conversations${query}`,
  ),
  ...['', '?channel=email', '?channel=email&status=sent'].map((query) => `/messages${query}`),
  ...['', '?status=sent', '?sort=created_at'].map((query) => `/email/logs${query}`),
  ...['', '?activity_type=email'].map((query) => `/activities${query}`),
]
const READ = ['*:read']
const CONTACT = randomUUID()
type Workspace = Record<'member' | 'colleague' | 'auditor', TestWorkspace>

let app: Harness
const workspaces: Workspace[] = []

beforeAll(async () => {
  app = await start({ sessions: 1, vars: { REQUEST_LOG_MILLISECONDS: '1' } })
  await startCounting(app)
  for (const size of SIZES) {
    const owner = await app.workspace()
    const role = await owner.post('/roles', { name: 'Auditor', key: 'auditor', scopes: READ })
    expect(role.status).toBe(201)
    await setPersonalScopes(app.owner, owner.id, 'auditor', ['personal-email:read'])
    const auditor = await owner.key({ role: 'auditor', scopes: [...READ, 'personal-email:read'] })
    const workspace = { member: await owner.key({ scopes: READ }), colleague: await owner.key({ scopes: READ }), auditor }
    await fill(workspace.member, size)
    workspaces.push(workspace)
  }
  await app.owner.query('analyze email_threads, email_thread_links, email_participants, conversations, messages, activities')
}, 600_000)
afterAll(() => app.close())

/** Conversations of the team from yesterday, and of the member from today, each with an email and an activity. */
const fill = (member: TestWorkspace, size: number) =>
  app.owner.query(`begin; set local session_replication_role = replica;
    create temporary table entries on commit drop as select n, '${member.id}'::uuid as workspace_id, uuidv7() as id, uuidv7() as contact_id,
      case when n > ${OF_TEAM} then '${member.userId}'::uuid end as private_to,
      now() - case when n > ${OF_TEAM} then '1 hour' else '1 day'::interval end + n * interval '1 millisecond' as at
        from generate_series(1, ${OF_TEAM + size}) n;
    insert into email_threads (workspace_id, id, subject, is_read, direction, contact_id, private_to, last_message_at)
      select workspace_id, id, 'Offer', false, 'inbound', contact_id, private_to, at from entries;
    insert into email_thread_links (workspace_id, thread_id, contact_id, last_message_at, private_to)
      select workspace_id, id, '${CONTACT}', at, private_to from entries;
    insert into email_participants (workspace_id, thread_id, email, last_message_at, private_to)
      select workspace_id, id, 'rep@example.com', at, private_to from entries;
    insert into conversations (workspace_id, id, channel, contact_id, title, direction, snippet, unread, message_count,
      last_message_at, private_to, assigned_to)
      select workspace_id, id, 'email', contact_id, 'Offer', 'inbound', '', true, 1, at, private_to,
        case when n % 2 = 0 then '${member.userId}'::uuid end from entries;
    insert into messages (workspace_id, id, channel, purpose, contact_id, recipient, body_text, dedupe_key, status,
      due_at, private_to, created_at)
      select workspace_id, id, 'email', 'conversation', contact_id, 'ana@example.com', 'Hello', id::text, 'sent', null, private_to, at
        from entries;
    insert into activities (workspace_id, activity_type, contact_id, contact_ids, subject, private_to, occurred_at)
      select workspace_id, 'email', contact_id, array[contact_id], 'Offer', private_to, at from entries;
    commit`)

const paged = (path: string) => `${path}${path.includes('?') ? '&' : '?'}limit=50`
async function blocksOf(
  workspace: Workspace,
  who: keyof Workspace,
  list: string,
): Promise<{ blocks: number; answer: ApiResponse; statements: string[] }> {
  const ws = workspace[who]
  const path = paged(list.replace('<member>', workspace.member.userId).replace('<contact>', CONTACT))
  // The first request compiles the statement, and the second one finds pages in the cache.
  await ws.get(path)
  const { result, blocks, statements } = await costNow(app.owner, () => ws.get(path))
  return { blocks, answer: result, statements }
}

describe.each(['member', 'colleague', 'auditor'] as const)('for %s', (who) => {
  test.each(LISTS)('GET %s reads as much beside many emails in a mailbox as beside few', async (list) => {
    const [few, many] = [await blocksOf(workspaces[0]!, who, list), await blocksOf(workspaces[1]!, who, list)]
    expect(many.answer.body.data ?? many.answer.body).toHaveLength(50)
    const most = Math.max(few.blocks * 1.2, few.blocks + 12)
    expect(many.blocks > most ? { few: few.blocks, many: many.blocks, statements: many.statements } : {}).toEqual({})
  })
})
