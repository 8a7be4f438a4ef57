import { randomBytes } from 'node:crypto'

type Reply = [status: number, body: unknown]
type Address = Record<string, unknown> & { sid: string; friendly_name: string }
type Part = { sid: string; friendly_name: string; type: string; attributes: Record<string, unknown> }
type Bundle = {
  sid: string
  friendly_name: string
  email: string
  status: string
  status_callback: string
  valid_until: string | null
  failure_reason: string | null
  assigned: string[]
  evaluations: Record<string, unknown>[]
}

const newSid = (prefix: string) => prefix + randomBytes(16).toString('hex')
const refusal = (code: number, message: string): Reply => [400, { code, message, status: 400 }]
const NOT_FOUND: Reply = [404, { code: 20404, message: 'Not found', status: 404 }]
const ADDRESS_FIELDS = ['CustomerName', 'Street', 'City', 'Region', 'PostalCode', 'IsoCountry']
const BUNDLE_FIELDS = ['FriendlyName', 'Email', 'IsoCountry', 'NumberType', 'EndUserType']

/**
 * Twilio's addresses and regulatory bundles: a bundle fulfils its requirements with the name of a business or person, and a document with
 * an address.
 */
export class Compliance {
  addresses: Address[] = []
  endUsers: Part[] = []
  documents: Part[] = []
  bundles: Bundle[] = []

  clear() {
    for (const all of [this.addresses, this.endUsers, this.documents, this.bundles]) all.length = 0
  }

  addAddress(form: URLSearchParams): Reply {
    const missing = ADDRESS_FIELDS.find((name) => !form.get(name))
    if (missing) return refusal(21450, `${missing} is required`)
    if (form.get('PostalCode') === '0000') return refusal(21628, 'The address could not be validated')
    const field = (name: string) => form.get(name)
    const address = {
      ...{ sid: newSid('AD'), friendly_name: field('FriendlyName') ?? '', customer_name: field('CustomerName'), street: field('Street') },
      ...{ street_secondary: field('StreetSecondary'), city: field('City'), region: field('Region'), postal_code: field('PostalCode') },
      ...{ iso_country: field('IsoCountry'), validated: true, verified: false, emergency_enabled: false },
    }
    this.addresses.push(address)
    return [201, address]
  }

  listAddresses(query: URLSearchParams) {
    const name = query.get('FriendlyName')
    return { addresses: this.addresses.filter(({ friendly_name }) => name === null || friendly_name === name) }
  }

  change(path: string, form: URLSearchParams): Reply {
    const field = (name: string) => form.get(name) ?? ''
    if (path === '/EndUsers' || path === '/SupportingDocuments') return this.addPart(path === '/EndUsers' ? 'IT' : 'RD', form)
    if (path === '/Bundles') {
      const missing = BUNDLE_FIELDS.find((name) => !form.get(name))
      if (missing) return refusal(22222, `${missing} is required`)
      const bundle: Bundle = {
        ...{
          sid: newSid('BU'),
          friendly_name: field('FriendlyName'),
          email: field('Email'),
          status: 'draft',
          status_callback: field('StatusCallback'),
        },
        ...{ valid_until: null, failure_reason: null, assigned: [], evaluations: [] },
      }
      this.bundles.push(bundle)
      return [201, bundle]
    }
    const [, sid, below] = /^\/Bundles\/(BU\w+)(?:\/(\w+))?$/.exec(path) ?? []
    const bundle = this.bundles.find((one) => one.sid === sid)
    if (!bundle) return NOT_FOUND
    if (below === 'ItemAssignments') {
      const object = field('ObjectSid')
      if (![...this.endUsers, ...this.documents].some((one) => one.sid === object)) return refusal(22214, 'ObjectSid is invalid')
      bundle.assigned.push(object)
      return [201, { sid: newSid('BV'), bundle_sid: sid, object_sid: object }]
    }
    if (below === 'Evaluations') {
      bundle.evaluations.unshift(this.evaluate(bundle))
      return [201, bundle.evaluations[0]]
    }
    if (field('Status') !== 'pending-review') return refusal(22223, 'Status is invalid')
    if (this.evaluate(bundle).status !== 'compliant') return refusal(22215, 'The bundle is not compliant')
    bundle.status = 'pending-review'
    return [200, bundle]
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

  /** `url`: the address of this part of the API, which links to further pages begin with. */
  find(path: string, query: URLSearchParams, url: string): Reply {
    const page = (results: object[]): Reply => {
      const [size, at] = [Number(query.get('PageSize') ?? 50), Number(query.get('Page') ?? 0)]
      const shown = results.slice(at * size, (at + 1) * size)
      const next = results.length > (at + 1) * size ? `${url}${path}?PageSize=${size}&Page=${at + 1}` : null
      return [200, { results: shown, meta: { page: at, page_size: size, next_page_url: next, key: 'results' } }]
    }
    const name = query.get('FriendlyName')
    if (path === '/Bundles') return page(this.bundles.filter(({ friendly_name }) => name === null || friendly_name === name))
    if (path === '/EndUsers') return page(this.endUsers)
    if (path === '/SupportingDocuments') return page(this.documents)
    const [, sid, below] = /^\/Bundles\/(BU\w+)(?:\/(\w+))?$/.exec(path) ?? []
    const bundle = this.bundles.find((one) => one.sid === sid)
    if (!bundle) return NOT_FOUND
    if (below === 'ItemAssignments') return page(bundle.assigned.map((object_sid) => ({ sid: newSid('BV'), object_sid })))
    return below === 'Evaluations' ? page(bundle.evaluations) : [200, bundle]
  }

  private addPart(prefix: 'IT' | 'RD', form: URLSearchParams): Reply {
    const [friendly_name, type] = [form.get('FriendlyName') ?? '', form.get('Type') ?? '']
    if (!friendly_name || !type) return refusal(22217, 'FriendlyName and Type are required')
    const part = { sid: newSid(prefix), friendly_name, type, attributes: JSON.parse(form.get('Attributes') ?? '{}') }
    const all = prefix === 'IT' ? this.endUsers : this.documents
    all.push(part)
    return [201, { ...part, ...(prefix === 'RD' && { status: 'draft', failure_reason: null }) }]
  }

  private evaluate({ assigned }: Bundle) {
    const of = (parts: Part[]) => parts.filter(({ sid }) => assigned.includes(sid))
    const isNamed = of(this.endUsers).some(({ attributes }) => attributes.business_name || attributes.first_name)
    const isPlaced = of(this.documents).some(({ attributes }) => (attributes.address_sids as string[] | undefined)?.length)
    const results = [
      requirement('end_user_info', 'Business', 'business', isNamed, 'business_name'),
      requirement('proof_of_address', 'Proof of address', 'document', isPlaced, 'address_sids'),
    ]
    const status = results.every(({ passed }) => passed) ? 'compliant' : 'noncompliant'
    return { sid: newSid('EL'), status, date_created: new Date().toISOString(), results }
  }
}

function requirement(name: string, friendly: string, object_type: string, passed: boolean, field: string) {
  const failure_reason = passed ? null : `A ${friendly} is missing`
  const invalid = passed ? [] : [{ friendly_name: field, object_field: field, failure_reason: 'The field is missing', error_code: 22216 }]
  return {
    ...{ friendly_name: friendly, object_type, passed, failure_reason, error_code: passed ? null : 22214, requirement_name: name },
    ...{ requirement_friendly_name: friendly, valid: [], invalid },
  }
}
