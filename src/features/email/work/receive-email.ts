import { LOST, type WorkSet } from '../../../../queues/work/set.ts'
import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { keyOfEmail } from '../../../domain/file-names.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { newId } from '../../../lib/ids.ts'
import { wake } from '../../../wake.ts'
import { receivedType } from '../../files/plans/received.ts'
import { inboundRows, type StoredAttachment } from '../plans/inbound-rows.ts'
import { MAX_PARTICIPANTS, MAX_THREAD_LINKS } from '../rules/emails.ts'
import { type PostedAttachment, readInbound, timeOfEmail } from '../rules/inbound-email.ts'

/** Received emails. */
export const receivedEmails: WorkSet = {
  name: 'email.receive',
  queue: 'MESSAGES',
  hasItems: true,
  due: [{ table: 'inbound_emails', due: 'created_at', where: LOST, item: 'id' }],
  run: receiveEmail,
  // The list of what was received shows that it was not processed, and the email is kept.
  dead: (env, workspaceId, id) => fail(env, workspaceId, id, 'The email could not be processed, in several tries'),
}

/**
 * Adds an inbound email to its thread. The attachments are stored first: those of an attempt that fails belong to no row, so the file sweep
 * deletes them. A repeated message finds the email processed.
 */
async function receiveEmail(env: Env, workspaceId: string, id: string): Promise<void> {
  const [waits] = await batch(jobsDatabaseOf(env), [call('load_inbound_email', workspaceId, id)])
  if (!waits) return
  const key = keyOfEmail(workspaceId, id)
  const posted = await env.FILES.get(key)
  // The request that stores it may not have ended yet.
  if (!posted) throw new Error('The file of an inbound email is missing')
  const email = readInbound(await posted.json())
  if (!email) return fail(env, workspaceId, id, 'The email has no sender')
  const attachments: StoredAttachment[] = []
  for (const [rank, attachment] of email.attachments.entries()) {
    const stored = await store(env, workspaceId, attachment, rank)
    if (stored) attachments.push(stored)
  }
  const row = await inboundRows(email, attachments, timeOfEmail(email.sent_at, new Date()))
  const [isStored] = await batch(jobsDatabaseOf(env), [
    call('receive_email', workspaceId, id, JSON.stringify(row), MAX_THREAD_LINKS, MAX_PARTICIPANTS),
  ])
  await env.FILES.delete([key, ...(isStored ? [] : attachments.map((attachment) => keyOfEmail(workspaceId, attachment.id)))]).catch(
    () => {},
  )
  await wake(env, 'events.deliver', workspaceId)
}

/** Stores an attachment. Undefined for content that is not base64: the message is shown without it. */
async function store(
  env: Env,
  workspaceId: string,
  { content, ...facts }: PostedAttachment,
  rank: number,
): Promise<StoredAttachment | undefined> {
  const bytes = decode(content)
  if (!bytes) return undefined
  const id = newId()
  await env.FILES.put(keyOfEmail(workspaceId, id), bytes)
  return { id, ...facts, content_type: await receivedType(facts.content_type, bytes), size: bytes.byteLength, rank }
}

function decode(content: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(content), (sign) => sign.charCodeAt(0))
  } catch {
    return undefined
  }
}

async function fail(env: Env, workspaceId: string, id: string, error: string): Promise<void> {
  await batch(jobsDatabaseOf(env), [call('fail_inbound_email', workspaceId, id, error)])
}
