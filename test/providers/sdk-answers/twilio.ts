import { type SmsEmulator, startSmsEmulator } from '../../../dev/sms-emulator.ts'
import { loadSdk } from '../../sdks.ts'
import { type Provider, type RecordedAnswer, typed, withEmulator } from './recorded.ts'

const API = 'twilio/lib/rest/api/v2010/account'
const RULES = 'twilio/lib/rest/numbers/v2/regulatoryCompliance'
/** The classes of the package for a resource and a page. Their constructors and fields name the types that it does not export. */
const CLASSES: Record<string, string> = {
  Message: `${API}/message`,
  IncomingPhoneNumber: `${API}/incomingPhoneNumber`,
  Address: `${API}/address`,
  Local: `${API}/availablePhoneNumberCountry/local`,
  Mobile: `${API}/availablePhoneNumberCountry/mobile`,
  TollFree: `${API}/availablePhoneNumberCountry/tollFree`,
  Bundle: `${RULES}/bundle`,
  EndUser: `${RULES}/endUser`,
  SupportingDocument: `${RULES}/supportingDocument`,
  Evaluation: `${RULES}/bundle/evaluation`,
  ItemAssignment: `${RULES}/bundle/itemAssignment`,
}
/**
 * Every field may be null, as Twilio's OpenAPI documents say. The package names a part of what the newer API says of a page; the
 * documentation has the rest.
 */
const DECLARATIONS = `${Object.entries(CLASSES)
  .map(([name, path]) => `import type { ${name}Instance, ${name}Page } from '${path}'\n`)
  .join('')}
type Resource<Class extends abstract new (...all: never[]) => unknown> =
  ConstructorParameters<Class> extends [unknown, infer Payload, ...unknown[]] ? Json<Payload, string> : never
type Named<Type> = { [Name in keyof Type as string extends Name ? never : Name]: Type[Name] }
type List<Page extends { _payload: unknown }> = Json<Omit<Named<Page['_payload']>, 'meta'>, string> & { start: number; end: number }
type Results<Page extends { _payload: { results: unknown; meta?: object } }> = {
  results: Json<Page['_payload']['results'], string>
  meta: Json<NonNullable<Page['_payload']['meta']>, string> & { page: number; page_size: number; first_page_url: string; url: string }
}
`

const one = (name: string) => `Resource<typeof ${name}Instance>`
type Call = { type: string; required: string; make: (client: Client) => Promise<unknown> }
// biome-ignore lint/suspicious/noExplicitAny: the types of the package are not installed with the project
type Client = any

/** A client of the package whose requests go to the emulator; the list gets what it answers. */
function clientOf({ url, account, token }: SmsEmulator, answers: unknown[]): Client {
  const twilio = loadSdk('twilio')
  class Emulated extends twilio.RequestClient {
    async request(options: { uri: string }) {
      const response = await super.request({ ...options, uri: options.uri.replace(/^https:\/\/(api|numbers)\.twilio\.com/, url) })
      if (response.body) answers.push(response.body)
      return response
    }
  }
  return twilio(account, token, { httpClient: new Emulated() })
}

const TEXT = { from: '+12025550101', to: '+61412345678', body: 'Hi', statusCallback: 'https://api.example.com/sms' }
const ADDRESS = {
  customerName: 'Harbour Pty Ltd',
  street: '1 George St',
  city: 'Sydney',
  region: 'NSW',
  postalCode: '2000',
  isoCountry: 'AU',
  friendlyName: 'address-1',
}
const BUNDLE = { friendlyName: 'bundle-1', email: 'ana@example.com', isoCountry: 'GB', numberType: 'local', endUserType: 'business' }

const messages: Call[] = [
  { type: one('Message'), required: 'account_sid', make: (client) => client.messages.create(TEXT) },
  { type: 'List<MessagePage>', required: 'messages', make: (client) => client.messages.list({ limit: 5 }) },
]
const numbers: Call[] = [
  ...(['local', 'mobile', 'tollFree'] as const).map((kind) => ({
    type: `List<${kind[0]?.toUpperCase()}${kind.slice(1)}Page>`,
    required: 'available_phone_numbers',
    make: (client: Client) => client.availablePhoneNumbers('AU')[kind].list({ limit: 5 }),
  })),
  {
    type: one('IncomingPhoneNumber'),
    required: 'capabilities',
    make: async (client) => {
      const { sid } = await client.incomingPhoneNumbers.create({ phoneNumber: '+12025550101', smsUrl: 'https://api.example.com/sms' })
      await client.incomingPhoneNumbers(sid).update({ trunkSid: 'TK0' })
    },
  },
  {
    type: 'List<IncomingPhoneNumberPage>',
    required: 'incoming_phone_numbers',
    make: async (client) => {
      const [{ sid }] = await client.incomingPhoneNumbers.list({ limit: 5 })
      await client.incomingPhoneNumbers(sid).remove()
    },
  },
]
const addresses: Call[] = [
  { type: one('Address'), required: 'validated', make: (client) => client.addresses.create(ADDRESS) },
  { type: 'List<AddressPage>', required: 'addresses', make: (client) => client.addresses.list({ limit: 5 }) },
]

/** Calls about bundles, which need each other's ids. */
function bundles(): Call[] {
  const sids: Record<string, string> = {}
  const rules = (client: Client) => client.numbers.v2.regulatoryCompliance
  const bundle = (client: Client) => rules(client).bundles(sids.bundle)
  const create =
    (name: string, of: (client: Client) => Promise<{ sid: string }>): Call['make'] =>
    async (client) => {
      sids[name] = (await of(client)).sid
    }
  const endUser = { friendlyName: 'bundle-1', type: 'business', attributes: { business_name: 'Harbour' } }
  const document = { friendlyName: 'bundle-1 1', type: 'utility_bill', attributes: { address_sids: ['AD0'] } }
  return [
    { type: one('Bundle'), required: 'status', make: create('bundle', (client) => rules(client).bundles.create(BUNDLE)) },
    { type: one('EndUser'), required: 'type', make: create('person', (client) => rules(client).endUsers.create(endUser)) },
    {
      type: one('SupportingDocument'),
      required: 'status',
      make: create('document', (client) => rules(client).supportingDocuments.create(document)),
    },
    {
      type: one('ItemAssignment'),
      required: 'object_sid',
      make: async (client) => {
        for (const objectSid of [sids.person, sids.document]) await bundle(client).itemAssignments.create({ objectSid })
      },
    },
    { type: one('Evaluation'), required: 'results', make: (client) => bundle(client).evaluations.create() },
    { type: one('Bundle'), required: 'status', make: (client) => bundle(client).update({ status: 'pending-review' }) },
    { type: one('Bundle'), required: 'links', make: (client) => bundle(client).fetch() },
    {
      type: one('SupportingDocument'),
      required: 'failure_reason',
      make: (client) => rules(client).supportingDocuments(sids.document).fetch(),
    },
    { type: 'Results<BundlePage>', required: 'results', make: (client) => rules(client).bundles.list({ limit: 5 }) },
    // Several pages, which the package follows by the addresses that the emulator names.
    { type: 'Results<EndUserPage>', required: 'meta', make: (client) => rules(client).endUsers.list({ pageSize: 1 }) },
    { type: 'Results<SupportingDocumentPage>', required: 'results', make: (client) => rules(client).supportingDocuments.list() },
    { type: 'Results<ItemAssignmentPage>', required: 'results', make: (client) => bundle(client).itemAssignments.list({ pageSize: 1 }) },
    { type: 'Results<EvaluationPage>', required: 'results', make: (client) => bundle(client).evaluations.list() },
  ]
}

/** What the package makes of an answer: a time that it cannot read stays a text. */
const isRead = (made: unknown) => !/"date[A-Z]\w+":"(?!\d{4}-\d\d-\d\dT[\d:.]+Z")/.test(JSON.stringify(made ?? null))

export const twilio: Provider = {
  declarations: DECLARATIONS,
  types: 19,
  record: () =>
    withEmulator(startSmsEmulator, async (emulator) => {
      const recorded: RecordedAnswer[] = []
      for (const { type, required, make } of [...messages, ...numbers, ...addresses, ...bundles()]) {
        const answers: unknown[] = []
        if (!isRead(await make(clientOf(emulator, answers)))) throw new Error(`The package cannot read a time of ${type}`)
        recorded.push(...typed(type, required, answers))
      }
      return recorded
    }),
}
