import type { EmailEmulator } from '../email-emulator.ts'
import type { Failures } from '../failures.ts'
import type { GoogleEmulator } from '../google-emulator.ts'
import { REPORT_FAULTS, type ReportFault, type ReportSender } from '../report-sender.ts'
import type { SmsEmulator } from '../sms-emulator.ts'
import type { StripeEmulator } from '../stripe-emulator.ts'
import type { WhatsAppEmulator } from '../whatsapp-emulator.ts'
import { WHATSAPP_FAULTS } from '../whatsapp-faults.ts'
import { type Body, Refusal } from './web.ts'
import { PRESETS, type Preset } from './wire.ts'

/** Something that can be switched: a choice of one failure, or a fault that is on or off. */
export type FaultSwitch = { id: string; label: string; hint: string } & (
  | { kind: 'choice'; options: { value: string; label: string }[]; value: string; pending: number }
  | { kind: 'switch'; on: boolean }
)
type Channel = { id: string; title: string; switches: (FaultSwitch & { set: (body: Body) => void })[] }

const MODES: Record<string, string> = {
  400: 'Refused: 400',
  401: 'Refused: 401, wrong credentials',
  402: 'Refused: 402, declined',
  403: 'Refused: 403, forbidden',
  404: 'Refused: 404, not found',
  406: 'Refused: inactive recipient (406)',
  410: 'Refused: 410, gone',
  422: 'Refused: 422, invalid sender',
  429: 'Refused: 429, too many requests',
  500: 'Error 500',
  503: 'Error 503, unavailable',
  21211: 'Refused: invalid number (21211)',
  21610: 'Refused: recipient has opted out (21610)',
  21614: 'Refused: not a mobile number (21614)',
  quota: 'Refused: 403, too many requests',
  invalid_grant: 'Refused: access withdrawn',
  timeout: 'Hangs: no response',
  drop: 'Connection closed before the call',
  slow: 'Slow: half a second',
  partial: 'First half of a batch, then closed',
  unlisted: 'Finds nothing yet',
}
/** The call is carried out first, so that only its response is lost. */
const LOST = ' but carried out'
const LOSABLE = ['drop', 'timeout', '500']
const MAX_TIMES = 100

const REPORTS: Record<ReportFault, [string, string]> = {
  duplicated: ['Duplicated', 'Each event is sent twice.'],
  reordered: ['Reordered', 'Events are collected for a second and sent in reverse.'],
  withheld: ['Withheld', 'Nothing is sent until this is switched off.'],
}

/** What each preset chooses for every kind of call that can fail so, and which reports it spoils. */
const PRESET_OF: Record<Preset, { value?: string[]; reports?: ReportFault[] }> = {
  works: {},
  down: { value: ['503', '500'] },
  slow: { value: ['slow'] },
  limited: { value: ['429', 'quota'] },
  lost: { value: [`drop${LOST}`] },
  doubled: { reports: ['duplicated', 'reordered'] },
}

const GOOGLE_CALLS: [route: string, label: string, hint: string, canLose: boolean][] = [
  ['gmail.send', 'Sending from a mailbox', 'POST messages/send', true],
  ['gmail.history', 'What is new in a mailbox', 'GET history: after a 404, its emails are read anew', false],
  ['gmail.get', 'Reading an email', 'GET messages/…', false],
  ['gmail.watch', 'Following a mailbox', 'POST watch', true],
  ['token', 'Access tokens', 'POST token, for mailboxes and calendars', false],
  ['*', 'Every other call', 'Gmail, Calendar and access tokens', true],
]

function choice<Mode extends string>(id: string, label: string, hint: string, failures: Failures<Mode>, canLose: boolean) {
  const values = failures.modes.flatMap((mode) => (canLose && LOSABLE.includes(mode) ? [mode, `${mode}${LOST}`] : [mode]))
  const labelOf = (value: string) =>
    value.endsWith(LOST)
      ? `Carried out, then: ${MODES[value.slice(0, -LOST.length)]?.replace(' before the call', '')}`
      : (MODES[value] ?? value)
  const { always, pending } = failures
  return {
    id,
    label,
    hint,
    kind: 'choice' as const,
    pending,
    options: [{ value: '', label: 'Works' }, ...values.map((value) => ({ value, label: labelOf(value) }))],
    value: always ? `${always.mode}${always.accept ? LOST : ''}` : '',
    set({ value, times }: Body) {
      if (value === '') return failures.clear()
      if (!values.includes(value)) throw new Refusal(400, `value is one of ${values.join(', ')}, or empty`)
      const accept = value.endsWith(LOST)
      const mode = (accept ? value.slice(0, -LOST.length) : value) as Mode
      if (times === undefined || times === null) failures.always = { mode, accept }
      else if (Number.isInteger(times) && times > 0 && times <= MAX_TIMES) failures.add(mode, times, accept)
      else throw new Refusal(400, `times is a number from 1 to ${MAX_TIMES}`)
    },
  }
}

const isOn = ({ on }: Body) => {
  if (typeof on !== 'boolean') throw new Refusal(400, 'on is true or false')
  return on
}

const reportSwitches = (reports: ReportSender) =>
  REPORT_FAULTS.map((fault) => ({
    id: fault,
    label: `Events: ${REPORTS[fault][0].toLowerCase()}`,
    hint: REPORTS[fault][1],
    kind: 'switch' as const,
    on: reports.faults.has(fault),
    set: (body: Body) => reports.set(fault, isOn(body)),
  }))

const paymentFaults = (stripe: StripeEmulator): Channel => ({
  id: 'payments',
  title: 'Payments (Stripe)',
  switches: [choice('calls', 'Every call', 'POST /v1/checkout/sessions', stripe.failures, true), ...reportSwitches(stripe.reports)],
})

type Emulators = { email: EmailEmulator; sms: SmsEmulator; whatsapp: WhatsAppEmulator; google: GoogleEmulator; stripe?: StripeEmulator }
/** The faults of every emulator. */
export function faultsOf({ email, sms, whatsapp, google, stripe }: Emulators) {
  const channels = (): Channel[] => [
    {
      id: 'email',
      title: 'Email (Postmark)',
      switches: [
        choice('calls', 'Sending', 'POST /email and /email/batch', email.failures, true),
        choice('searches', 'Looking up messages', 'GET /messages/outbound', email.searchFailures, false),
        ...reportSwitches(email.reports),
      ],
    },
    {
      id: 'sms',
      title: 'SMS (Twilio)',
      switches: [
        choice('calls', 'Sending and buying', 'POST and DELETE', sms.failures, true),
        choice('searches', 'Looking up', 'GET', sms.searchFailures, false),
        ...reportSwitches(sms.reports),
      ],
    },
    {
      id: 'whatsapp',
      title: 'WhatsApp (Evolution API)',
      switches: [
        choice('calls', 'Every call', 'Pairing, sending and looking up', whatsapp.failures, true),
        ...reportSwitches(whatsapp.reports),
        ...Object.entries(WHATSAPP_FAULTS).map(([fault, [label, hint]]) => ({
          id: fault,
          label,
          hint,
          kind: 'switch' as const,
          on: whatsapp.world.faults.has(fault as never),
          set: (body: Body) => void (isOn(body) ? whatsapp.world.faults.add(fault as never) : whatsapp.world.faults.delete(fault as never)),
        })),
      ],
    },
    {
      id: 'google',
      title: 'Google (Gmail, Calendar)',
      switches: [
        ...GOOGLE_CALLS.map(([route, label, hint, canLose]) => choice(route, label, hint, google.failuresOf(route), canLose)),
        ...reportSwitches(google.reports),
      ],
    },
    ...(stripe ? [paymentFaults(stripe)] : []),
  ]
  return {
    list: () => channels().map(({ switches, ...channel }) => ({ ...channel, switches: switches.map(({ set: _, ...shown }) => shown) })),
    /** How many faults are on, or wait for a call. */
    count: () =>
      channels()
        .flatMap(({ switches }) => switches)
        .filter((one) => (one.kind === 'switch' ? one.on : one.value || one.pending)).length,
    /** Sets every switch as a preset has it: those that it does not name are off. */
    preset(name: string) {
      if (!Object.hasOwn(PRESETS, name)) throw new Refusal(404, `The presets are ${Object.keys(PRESETS).join(', ')}`)
      const { value = [], reports = [] } = PRESET_OF[name as Preset]
      for (const one of channels().flatMap(({ switches }) => switches))
        if (one.kind === 'switch') one.set({ on: reports.includes(one.id as ReportFault) })
        else {
          one.set({ value: '' })
          one.set({ value: value.find((mode) => one.options.some((option) => option.value === mode)) ?? '' })
        }
    },
    set(channel: string, id: string, body: Body) {
      const found = channels()
        .find((one) => one.id === channel)
        ?.switches.find((one) => one.id === id)
      if (!found) throw new Refusal(404, 'No such fault')
      found.set(body)
    },
  }
}
