/**
 * The pairing of a workspace with the WhatsApp account of a phone. `connecting`: no QR code yet. `awaiting_qr`: a QR code waits to be
 * scanned.
 * `qr_expired`: nobody scanned one in time. `degraded`: the connection is interrupted, or messages did not arrive by themselves.
 * `logged_out`: the phone ended it. `disconnecting`: it was ended here, and the provider has not confirmed that yet. Without a row it is
 * `disconnected`.
 */
export const PAIRING_STATES = ['connecting', 'awaiting_qr', 'qr_expired', 'connected', 'degraded', 'logged_out', 'disconnecting'] as const
export type PairingState = (typeof PAIRING_STATES)[number]
export const SHOWN_PAIRING_STATES = [...PAIRING_STATES, 'disconnected'] as const

/** Messages are sent in these states; in `degraded` they wait until the connection is back. */
export const PAIRED: readonly PairingState[] = ['connected', 'degraded']

/** What the provider says about a connection. `unknown`: it gave no usable response. */
export type Observation =
  | { kind: 'missing' }
  | { kind: 'open'; jid: string | null; name: string | null; missed: number }
  | { kind: 'connecting'; qr: string | null }
  | { kind: 'closed'; reason: number | null }
  | { kind: 'unknown'; error: string }

/** What the watch knows of a pairing. */
export type Pairing = {
  status: PairingState
  qr_image: string | null
  /** How many QR codes were shown since the pairing began. */
  qr_number: number
  qr_expires_at: string | null
  /** Looks in a row that brought nothing new. */
  attempts: number
  phone_number: string | null
  display_name: string | null
  connected_at: string | null
  error: string | null
  /** When the watch looks again; null when there is nothing to watch. */
  due_at: string | null
}

/** What the watch does next at the provider. `forget` deletes the pairing here. */
export type Action = 'none' | 'create' | 'connect' | 'configure' | 'remove' | 'forget'

/** The most QR codes of one pairing, and the most looks without a QR code. */
export const MAX_QR_CODES = 12
export const MAX_LOOKS = 5
/** The least seconds that a QR code is shown; the provider replaces it about as often. */
export const QR_SECONDS = 45
const LOOK_SECONDS = 15
const WATCH_SECONDS = 300
const MAX_WAIT_SECONDS = 600

/** The reasons after which the phone must be paired again: logged out, banned, or refused (Baileys, DisconnectReason). */
const FINAL_REASONS = new Set([401, 402, 403, 406])

const NO_QR = 'The provider made no QR code: pair again'
const NOT_SCANNED = 'No QR code was scanned in time: pair again'
const LOGGED_OUT = 'The phone has ended the connection: pair again'
const INTERRUPTED = 'The connection to WhatsApp is interrupted, and is being made again'
const DEAF = 'Messages did not arrive by themselves; they were fetched, and the subscription was made again'

type Decision = { next: Pairing; action: Action }

const later = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString()
const wait = (attempts: number) => Math.min(LOOK_SECONDS * 2 ** attempts, MAX_WAIT_SECONDS)
const isPaired = ({ status }: Pairing) => PAIRED.includes(status)
const isOver = ({ status }: Pairing) => status === 'qr_expired' || status === 'logged_out'
const NO_QR_CODE = { qr_image: null, qr_expires_at: null }

/** A pairing that begins again, after it has ended without one. */
export const restarted = (pairing: Pairing, now: Date): Pairing => ({
  ...pairing,
  ...NO_QR_CODE,
  status: 'connecting',
  qr_number: 0,
  attempts: 0,
  error: null,
  due_at: now.toISOString(),
})

/**
 * Decides what a look at the provider means for a pairing. Nothing but the provider's own state is believed, so repeated and reordered
 * reports do no harm.
 */
export function decide(pairing: Pairing, seen: Observation, now: Date): Decision {
  if (pairing.status === 'disconnecting') return whileDisconnecting(pairing, seen, now)
  if (seen.kind === 'unknown') return unknown(pairing, seen.error, now)
  if (seen.kind === 'open') return open(pairing, seen, now)
  if (isOver(pairing)) return { next: { ...pairing, ...NO_QR_CODE, due_at: null }, action: 'none' }
  if (seen.kind === 'missing') return isPaired(pairing) ? loggedOut(pairing, LOGGED_OUT) : begin(pairing, 'create', now)
  if (seen.kind === 'closed') return closed(pairing, seen.reason, now)
  return isPaired(pairing) ? interrupted(pairing, 'none', now) : connecting(pairing, seen.qr, now)
}

/** The row goes only when the provider no longer has the connection: a provider may report success and do nothing. */
function whileDisconnecting(pairing: Pairing, seen: Observation, now: Date): Decision {
  if (seen.kind === 'missing') return { next: { ...pairing, due_at: null }, action: 'forget' }
  const next = { ...pairing, ...NO_QR_CODE, attempts: pairing.attempts + 1, due_at: later(now, wait(pairing.attempts)) }
  if (seen.kind === 'unknown') return { next: { ...next, error: seen.error }, action: 'none' }
  return { next, action: 'remove' }
}

function unknown(pairing: Pairing, error: string, now: Date): Decision {
  if (isOver(pairing)) return { next: { ...pairing, due_at: null }, action: 'none' }
  const next = { ...pairing, error, attempts: pairing.attempts + 1, due_at: later(now, wait(pairing.attempts)) }
  if (isPaired(pairing)) return { next: { ...next, status: 'degraded' }, action: 'none' }
  return next.attempts > MAX_LOOKS ? expired(next, error) : { next, action: 'none' }
}

function open(pairing: Pairing, { jid, name, missed }: Observation & { kind: 'open' }, now: Date): Decision {
  const isNew = !isPaired(pairing) || pairing.connected_at === null
  const isDeaf = missed > 0
  const next: Pairing = {
    ...pairing,
    ...NO_QR_CODE,
    status: isDeaf ? 'degraded' : 'connected',
    attempts: 0,
    error: isDeaf ? DEAF : null,
    due_at: later(now, WATCH_SECONDS),
    phone_number: phoneOf(jid) ?? pairing.phone_number,
    display_name: name ?? pairing.display_name,
    connected_at: isNew ? now.toISOString() : pairing.connected_at,
  }
  return { next, action: isNew || isDeaf || pairing.status === 'degraded' ? 'configure' : 'none' }
}

/** `61400000001:12@s.whatsapp.net` is the twelfth device of a number. */
const phoneOf = (jid: string | null) => {
  const digits = /^(\d{5,15})(?::\d+)?@s\.whatsapp\.net$/.exec(jid ?? '')?.[1]
  return digits === undefined ? null : `+${digits}`
}

function closed(pairing: Pairing, reason: number | null, now: Date): Decision {
  if (reason !== null && FINAL_REASONS.has(reason)) return loggedOut(pairing, `${LOGGED_OUT} (${reason})`)
  return isPaired(pairing) ? interrupted(pairing, 'connect', now) : begin(pairing, 'connect', now)
}

const loggedOut = (pairing: Pairing, error: string): Decision => ({
  next: { ...pairing, ...NO_QR_CODE, status: 'logged_out', error, attempts: 0, due_at: null },
  action: 'none',
})

const interrupted = (pairing: Pairing, action: Action, now: Date): Decision => ({
  next: {
    ...pairing,
    ...NO_QR_CODE,
    status: 'degraded',
    error: INTERRUPTED,
    attempts: pairing.attempts + 1,
    due_at: later(now, wait(pairing.attempts)),
  },
  action,
})

/** Begins the connection at the provider, a bounded number of times. */
function begin(pairing: Pairing, action: Action, now: Date): Decision {
  const attempts = pairing.attempts + 1
  if (attempts > MAX_LOOKS) return expired(pairing, NO_QR)
  return { next: { ...pairing, ...NO_QR_CODE, status: 'connecting', attempts, due_at: later(now, LOOK_SECONDS) }, action }
}

function connecting(pairing: Pairing, qr: string | null, now: Date): Decision {
  if (qr !== null && qr !== pairing.qr_image) return show(pairing, qr, now)
  const attempts = pairing.attempts + 1
  if (qr === null) {
    if (attempts > MAX_LOOKS) return expired(pairing, NO_QR)
    return { next: { ...pairing, ...NO_QR_CODE, status: 'connecting', attempts, due_at: later(now, LOOK_SECONDS) }, action: 'none' }
  }
  if (pairing.qr_expires_at !== null && pairing.qr_expires_at > now.toISOString())
    return { next: { ...pairing, due_at: pairing.qr_expires_at }, action: 'none' }
  // The provider does not replace it by itself.
  if (attempts > MAX_LOOKS) return expired(pairing, NOT_SCANNED)
  return { next: { ...pairing, attempts, due_at: later(now, LOOK_SECONDS) }, action: 'connect' }
}

function show(pairing: Pairing, qr: string, now: Date): Decision {
  const qr_number = pairing.qr_number + 1
  if (qr_number > MAX_QR_CODES) return expired(pairing, NOT_SCANNED)
  const qr_expires_at = later(now, QR_SECONDS)
  const next: Pairing = {
    ...pairing,
    status: 'awaiting_qr',
    qr_image: qr,
    qr_number,
    qr_expires_at,
    attempts: 0,
    error: null,
    due_at: qr_expires_at,
  }
  return { next, action: 'none' }
}

/** Ends a pairing that nobody scanned; the provider would otherwise make QR codes for ever. */
const expired = (pairing: Pairing, error: string): Decision => ({
  next: { ...pairing, ...NO_QR_CODE, status: 'qr_expired', error, attempts: 0, due_at: null },
  action: 'remove',
})
