import { randomBytes } from 'node:crypto'
import type { Reply } from './local-server.ts'

type Address = Record<string, unknown> & { sid: string; friendly_name: string }
type Part = { sid: string; friendly_name: string; type: string; attributes: Record<string, unknown>; created_at: string }
/** A document. Only here, and not at its bundle, the provider says why a bundle was rejected. */
type Document = Part & { status: string; failure_reason: string | null }
type Bundle = {
  sid: string
  friendly_name: string
  email: string
  status: string
  status_callback: string
  valid_until: string | null
  created_at: string
  assigned: string[]
  evaluations: Record<string, unknown>[]
}

const newSid = (prefix: string) => prefix + randomBytes(16).toString('hex')
const refusal = (code: number, message: string): Reply => [400, { code, message, status: 400 }]
const NOT_FOUND: Reply = [404, { code: 20404, message: 'Not found', status: 404 }]
const ADDRESS_FIELDS = ['CustomerName', 'Street', 'City', 'Region', 'PostalCode', 'IsoCountry']
const BUNDLE_FIELDS = ['FriendlyName', 'Email', 'IsoCountry', 'NumberType', 'EndUserType']
const REGULATION = `RN${'0'.repeat(32)}`
const now = () => `${new Date().toISOString().slice(0, 19)}Z`

/**
 * Twilio's addresses and regulatory bundles: a bundle fulfils its requirements with the name of a business or person, and a document with
 * an address.
 */
export class Compliance {
  addresses: Address[] = []
  endUsers: Part[] = []
  documents: Document[] = []
  bundles: Bundle[] = []
  /** Leaves out why a requirement is not fulfilled, which the documentation allows. */
  isSilent = false
  readonly #account: string
  readonly #url: string

  /** `url`: the address of this part of the API, which links begin with. */
  constructor(account: string, url: string) {
    this.#account = account
    this.#url = url
  }

  clear() {
    for (const all of [this.addresses, this.endUsers, this.documents, this.bundles]) all.length = 0
    this.isSilent = false
  }

  addAddress(form: URLSearchParams): Reply {
    const missing = ADDRESS_FIELDS.find((name) => !form.get(name))
    if (missing) return refusal(21450, `${missing} is required`)
    if (form.get('PostalCode') === '0000') return refusal(21628, 'The address could not be validated')
    const field = (name: string) => form.get(name)
    const [sid, at] = [newSid('AD'), new Date().toUTCString()]
    const address = {
      sid,
      friendly_name: field('FriendlyName') ?? '',
      customer_name: field('CustomerName'),
      street: field('Street'),
      street_secondary: field('StreetSecondary'),
      city: field('City'),
      region: field('Region'),
      postal_code: field('PostalCode'),
      iso_country: field('IsoCountry'),
      validated: true,
      verified: false,
      emergency_enabled: false,
      account_sid: this.#account,
      date_created: at,
      date_updated: at,
      uri: `/2010-04-01/Accounts/${this.#account}/Addresses/${sid}.json`,
    }
    this.addresses.push(address)
    return [201, address]
  }

  listAddresses(query: URLSearchParams) {
    const name = query.get('FriendlyName')
    return this.addresses.filter(({ friendly_name }) => name === null || friendly_name === name)
  }

  change(path: string, form: URLSearchParams): Reply {
    const field = (name: string) => form.get(name) ?? ''
    if (path === '/EndUsers' || path === '/SupportingDocuments') return this.addPart(path === '/EndUsers' ? 'IT' : 'RD', form)
    if (path === '/Bundles') {
      const missing = BUNDLE_FIELDS.find((name) => !form.get(name))
      if (missing) return refusal(22222, `${missing} is required`)
      const bundle: Bundle = {
        sid: newSid('BU'),
        friendly_name: field('FriendlyName'),
        email: field('Email'),
        status: 'draft',
        status_callback: field('StatusCallback'),
        valid_until: null,
        created_at: now(),
        assigned: [],
        evaluations: [],
      }
      this.bundles.push(bundle)
      return [201, this.shown(bundle)]
    }
    const [, sid, below] = /^\/Bundles\/(BU\w+)(?:\/(\w+))?$/.exec(path) ?? []
    const bundle = this.bundles.find((one) => one.sid === sid)
    if (!bundle) return NOT_FOUND
    if (below === 'ItemAssignments') {
      const object = field('ObjectSid')
      if (![...this.endUsers, ...this.documents].some((one) => one.sid === object)) return refusal(22214, 'ObjectSid is invalid')
      bundle.assigned.push(object)
      return [201, this.assignment(bundle, object)]
    }
    if (below === 'Evaluations') {
      bundle.evaluations.unshift(this.evaluate(bundle))
      return [201, bundle.evaluations[0]]
    }
    if (field('Status') !== 'pending-review') return refusal(22223, 'Status is invalid')
    if (this.evaluate(bundle).status !== 'compliant') return refusal(22215, 'The bundle is not compliant')
    bundle.status = 'pending-review'
    return [200, this.shown(bundle)]
  }

  /** Deletes an address, a bundle or a part of one; an address that a document names, and a bundle under review, remain. */
  remove(path: string): Reply {
    const sid = path.split('/').at(-1)?.replace('.json', '')
    const isNamed = this.documents.some(({ attributes }) => (attributes.address_sids as string[] | undefined)?.includes(sid ?? ''))
    if (isNamed) return refusal(20409, 'The address is used by a supporting document')
    if (this.bundles.some((one) => one.sid === sid && one.status.endsWith('-review'))) return refusal(20409, 'The bundle is under review')
    for (const all of [this.addresses, this.endUsers, this.documents, this.bundles] as { sid: string }[][]) {
      const at = all.findIndex((one) => one.sid === sid)
      if (at >= 0) {
        all.splice(at, 1)
        return [204, undefined]
      }
    }
    return NOT_FOUND
  }

  find(path: string, query: URLSearchParams): Reply {
    const page = (results: object[]): Reply => {
      const [size, at] = [Number(query.get('PageSize') ?? 50), Number(query.get('Page') ?? 0)]
      const shown = results.slice(at * size, (at + 1) * size)
      const link = (page: number) => `${this.#url}${path}?PageSize=${size}&Page=${page}`
      const next = results.length > (at + 1) * size ? link(at + 1) : null
      const meta = { page: at, page_size: size, first_page_url: link(0), url: link(at), next_page_url: next, key: 'results' }
      return [200, { results: shown, meta: { ...meta, previous_page_url: at > 0 ? link(at - 1) : null } }]
    }
    const name = query.get('FriendlyName')
    if (path === '/Bundles')
      return page(this.bundles.filter(({ friendly_name }) => name === null || friendly_name === name).map((one) => this.shown(one)))
    if (path === '/EndUsers') return page(this.endUsers.map((one) => this.shownPart(one)))
    if (path === '/SupportingDocuments') return page(this.documents.map((one) => this.shownPart(one)))
    const document = this.documents.find((one) => path === `/SupportingDocuments/${one.sid}`)
    if (document) return [200, this.shownPart(document)]
    const [, sid, below] = /^\/Bundles\/(BU\w+)(?:\/(\w+))?$/.exec(path) ?? []
    const bundle = this.bundles.find((one) => one.sid === sid)
    if (!bundle) return NOT_FOUND
    if (below === 'ItemAssignments') return page(bundle.assigned.map((object) => this.assignment(bundle, object)))
    return below === 'Evaluations' ? page(bundle.evaluations) : [200, this.shown(bundle)]
  }

  /** A bundle with every field of the resource of Twilio's package. */
  private shown({ sid, friendly_name, email, status, status_callback, valid_until, created_at }: Bundle) {
    const url = `${this.#url}/Bundles/${sid}`
    const links = { evaluations: `${url}/Evaluations`, item_assignments: `${url}/ItemAssignments`, bundle_copies: `${url}/Copies` }
    return {
      sid,
      account_sid: this.#account,
      regulation_sid: REGULATION,
      friendly_name,
      status,
      valid_until,
      email,
      status_callback,
      date_created: created_at,
      date_updated: created_at,
      url,
      links,
    }
  }

  private shownPart({ created_at, ...part }: Part) {
    const isDocument = part.sid.startsWith('RD')
    const url = `${this.#url}/${isDocument ? 'SupportingDocuments' : 'EndUsers'}/${part.sid}`
    const own = { ...part, account_sid: this.#account, date_created: created_at, date_updated: created_at, url }
    return isDocument ? { ...own, mime_type: null, errors: null } : own
  }

  private assignment({ sid, created_at }: Bundle, object_sid: string) {
    const own = `BV${object_sid.slice(2)}`
    const url = `${this.#url}/Bundles/${sid}/ItemAssignments/${own}`
    return { sid: own, bundle_sid: sid, account_sid: this.#account, object_sid, date_created: created_at, url }
  }

  private addPart(prefix: 'IT' | 'RD', form: URLSearchParams): Reply {
    const [friendly_name, type] = [form.get('FriendlyName') ?? '', form.get('Type') ?? '']
    if (!friendly_name || !type) return refusal(22217, 'FriendlyName and Type are required')
    const attributes = JSON.parse(form.get('Attributes') ?? '{}')
    const part = { sid: newSid(prefix), friendly_name, type, attributes, created_at: now() }
    const document = { ...part, status: 'draft', failure_reason: null }
    if (prefix === 'IT') this.endUsers.push(part)
    else this.documents.push(document)
    return [201, this.shownPart(prefix === 'IT' ? part : document)]
  }

  private evaluate({ sid: bundle_sid, assigned }: Bundle) {
    const of = (parts: Part[]) => parts.filter(({ sid }) => assigned.includes(sid))
    const isNamed = of(this.endUsers).some(({ attributes }) => attributes.business_name || attributes.first_name)
    const isPlaced = of(this.documents).some(({ attributes }) => (attributes.address_sids as string[] | undefined)?.length)
    const results = [
      requirement('end_user_info', 'Business', 'business', isNamed, 'business_name'),
      requirement('proof_of_address', 'Proof of address', 'document', isPlaced, 'address_sids'),
    ]
    if (this.isSilent) for (const result of results) silence(result)
    const status = results.every(({ passed }) => passed) ? 'compliant' : 'noncompliant'
    const sid = newSid('EL')
    const url = `${this.#url}/Bundles/${bundle_sid}/Evaluations/${sid}`
    return { sid, account_sid: this.#account, regulation_sid: REGULATION, bundle_sid, status, date_created: now(), results, url }
  }
}

function requirement(name: string, friendly: string, object_type: string, passed: boolean, field: string) {
  const failure_reason = passed ? null : `A ${friendly} is missing`
  const invalid = passed ? [] : [{ friendly_name: field, object_field: field, failure_reason: 'The field is missing', error_code: 22216 }]
  return {
    friendly_name: friendly,
    object_type,
    passed,
    failure_reason,
    error_code: passed ? null : 22214,
    requirement_name: name,
    requirement_friendly_name: friendly,
    valid: [],
    invalid,
  }
}

function silence(result: ReturnType<typeof requirement>): void {
  result.failure_reason = null
  for (const field of result.invalid) Object.assign(field, { failure_reason: null })
}
