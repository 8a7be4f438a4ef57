import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError } from '../../../errors.ts'
import { loggable } from '../../../lib/text.ts'
import type { WhatsAppProvider } from '../provider/port.ts'
import { type Action, decide, type Observation, PAIRED, type Pairing, restarted } from '../rules/pairing.ts'
import { compareMessages } from './compare.ts'
import { loadPairing, type StoredPairing, subscriptionOf, whatsAppOf } from './connection.ts'

/** `pair` begins a pairing again that has ended without one. */
export type Wish = 'pair' | 'look'

/** The most decisions of one look. */
const MAX_ROUNDS = 4

/**
 * Looks at the provider, decides what that means for the workspace's pairing, stores it and does what follows. Returns when to look again.
 * Only the workspace's Durable Object calls it, one call after the other. @throws AppError when the database cannot be reached.
 */
export async function watch(env: Env, workspaceId: string, wish: Wish): Promise<Date | undefined> {
  const stored = await loadPairing(env, workspaceId)
  if (!stored) return undefined
  const target = { env, workspaceId, stored, provider: whatsAppOf(env) }
  const isAgain = wish === 'pair' && (stored.status === 'qr_expired' || stored.status === 'logged_out')
  let pairing: Pairing = isAgain ? restarted(stored, new Date()) : stored
  let was = stored.status
  let seen: Observation | undefined = await attempted(() => (isAgain ? renew(target) : observe(target, pairing)))
  for (let round = 0; seen && round < MAX_ROUNDS; round++) {
    const { next, action } = decide(pairing, seen, new Date())
    if (!(await save(target, was, next))) return new Date()
    pairing = next
    was = next.status
    if (action === 'forget') return forget(target)
    seen = action === 'none' ? undefined : await attempted(() => act(target, action))
  }
  return pairing.due_at === null ? undefined : new Date(pairing.due_at)
}

type Target = { env: Env; workspaceId: string; stored: StoredPairing; provider: WhatsAppProvider }

/** A failure of the provider is an observation, too; one of the database says nothing about the provider. */
async function attempted<Out>(work: () => Promise<Out>): Promise<Out | Observation> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError && error.code === 'UNAVAILABLE') throw error
    return { kind: 'unknown', error: loggable(String(error), 300) }
  }
}

/** A pairing that begins again has a new connection: the provider keeps why the old one has ended. */
async function renew(target: Target): Promise<Observation> {
  return (await act(target, 'remove')) ?? { kind: 'unknown', error: 'The provider still has the former connection' }
}

async function observe(target: Target, { status }: Pairing): Promise<Observation> {
  const { provider, stored } = target
  const state = await provider.state(stored.instance_name)
  if (state.kind === 'connecting' && status !== 'disconnecting') return seenOf(target, await provider.connect(stored.instance_name))
  if (state.kind === 'connecting') return { kind: 'connecting', qr: null }
  if (state.kind !== 'open') return state
  if (!PAIRED.includes(status)) return { ...state, missed: 0 }
  const missed = await compareMessages(target.env, target.workspaceId, provider, stored)
  if (missed === 0) await keepSubscription(target)
  return { ...state, missed }
}

/** Subscribes again if the provider has lost the subscription, or has one of an earlier release. */
async function keepSubscription({ env, workspaceId, stored, provider }: Target): Promise<void> {
  const subscription = await subscriptionOf(env, workspaceId, stored)
  if (!(await provider.isSubscribed(stored.instance_name, subscription))) await provider.subscribe(stored.instance_name, subscription)
}

/** One that was scanned meanwhile has an account, and no messages yet to compare. */
async function seenOf({ provider, stored }: Target, { isOpen, qr }: { isOpen: boolean; qr: string | null }): Promise<Observation> {
  if (!isOpen) return { kind: 'connecting', qr }
  const state = await provider.state(stored.instance_name)
  return state.kind === 'open' ? { ...state, missed: 0 } : { kind: 'connecting', qr: null }
}

async function act(target: Target, action: Action): Promise<Observation | undefined> {
  const { env, workspaceId, stored, provider } = target
  const name = stored.instance_name
  if (action === 'create') return seenOf(target, await provider.create(name, await subscriptionOf(env, workspaceId, stored)))
  if (action === 'connect') return seenOf(target, await provider.connect(name))
  if (action === 'configure') return configure(target)
  await provider.remove(name)
  // Success is not believed: what counts is that the connection is gone.
  const { kind } = await provider.state(name)
  return kind === 'missing' ? { kind } : undefined
}

/** Makes the subscription again, which a reconnection may have lost, and reads the groups. */
async function configure({ env, workspaceId, stored, provider }: Target): Promise<undefined> {
  await provider.subscribe(stored.instance_name, await subscriptionOf(env, workspaceId, stored))
  const groups = await provider.groups(stored.instance_name)
  await batch(jobsDatabaseOf(env), [call('store_whatsapp_groups', workspaceId, JSON.stringify(groups), true)])
}

async function forget({ env, workspaceId, stored }: Target): Promise<undefined> {
  await batch(jobsDatabaseOf(env), [call('forget_whatsapp_pairing', workspaceId, stored.id)])
}

/** Stores the decision; false if a request has changed the pairing since it was read. */
async function save({ env, workspaceId, stored }: Target, was: string, next: Pairing): Promise<boolean> {
  stored.compared_until ??= PAIRED.includes(next.status) ? new Date().toISOString() : null
  const row = { ...next, compared_until: stored.compared_until }
  const [isSaved] = await batch(jobsDatabaseOf(env), [call('save_whatsapp_pairing', workspaceId, stored.id, was, JSON.stringify(row))])
  return isSaved === true
}
