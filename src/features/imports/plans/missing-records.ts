import { companies, leadSources } from '../../../../schema/index.ts'
import { insertEach } from '../../../data/bulk.ts'
import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { newId } from '../../../lib/ids.ts'
import { companyCreates } from '../../companies/plans/companies.ts'
import { bulkStatements } from '../../records/plans/bulk.ts'
import type { Referred } from '../rules/kinds.ts'
import type { ImportObject } from '../rules/types.ts'
import { MissingPipelines } from './missing-pipelines.ts'

type Row = { id: string } & Record<string, unknown>
const MAX_NAME = 120

/** The scope that creating each kind of record needs. */
const SCOPES = { company: 'companies:write', lead_source: 'company:write' } as const
const PIPELINES = 'pipelines:write'
type Creatable = keyof typeof SCOPES
export const isCreatable = (to: Referred): to is Creatable => to in SCOPES

/** The scopes that an import needs to create the records that its lines refer to. */
export function creatingScopes(
  settings: { object: ImportObject } & Record<`unknown_${'companies' | 'lead_sources' | 'pipelines' | 'stages'}`, string>,
  filled: string[],
): string[] {
  return [
    ...(['create', 'placeholder'].includes(settings.unknown_companies) && settings.object !== 'companies' && filled.includes('company')
      ? [SCOPES.company]
      : []),
    ...(settings.unknown_lead_sources === 'create' && settings.object === 'contacts' && filled.includes('lead_source')
      ? [SCOPES.lead_source]
      : []),
    ...(settings.object === 'opportunities' &&
    ((settings.unknown_pipelines === 'create' && filled.includes('pipeline')) ||
      (settings.unknown_stages === 'create' && filled.includes('stage')))
      ? [PIPELINES]
      : []),
  ]
}

/** The records that a batch of lines refers to, and creates because there are none. */
export class MissingRecords {
  readonly #rows: Record<Creatable, Map<string, Row>> = { company: new Map(), lead_source: new Map() }
  readonly #country: string | null
  readonly pipelines: MissingPipelines

  /** `pipelines` is the number of the workspace's pipelines. */
  constructor(country: string | null, pipelines: number) {
    this.#country = country
    this.pipelines = new MissingPipelines(pipelines)
  }

  /** The id that the record will have, or the reason why it cannot be created. `norm` is the form in which names are compared. */
  idOf(to: Creatable, { name, ...more }: { name: string; external_id?: string }, norm: string): { id: string } | { message: string } {
    const rows = this.#rows[to]
    const known = rows.get(norm)
    if (known) return known
    const written = name.trim().replace(/\s+/g, ' ')
    const row = to === 'company' ? this.#newCompany({ name: written, ...more }) : newLeadSource(written)
    if ('id' in row) rows.set(norm, row)
    return row
  }

  #newCompany(company: { name: string; external_id?: string }): Row | { message: string } {
    const [, { valid, errors }] = companyCreates([{ ...company, ...(this.#country && { country: this.#country }) }])
    const [error] = errors
    return (valid[0]?.value as Row | undefined) ?? { message: error?.error.message ?? 'cannot be the name of a company' }
  }

  /** The statements that create those that valid records refer to, before these. */
  statements(records: Record<string, unknown>[]): Statement[] {
    const used = new Set(records.flatMap((row) => REFERRING.map((field) => row[field])))
    const ofPipelines = this.pipelines.statements(used)
    const [ofCompanies, ofSources] = (['company', 'lead_source'] as const).map((to) =>
      [...this.#rows[to].values()].filter(({ id }) => used.has(id)),
    ) as [Row[], Row[]]
    return [
      ...(ofCompanies.length > 0 ? companyStatements(ofCompanies) : []),
      ...(ofSources.length > 0 ? sourceStatements(ofSources) : []),
      ...(ofPipelines.length > 0 ? [assertScope(PIPELINES), ...ofPipelines] : []),
    ]
  }
}

/** The fields of a record that refer to one of them. */
const REFERRING = ['customer_id', 'parent_company_id', 'source_id', 'pipeline_id', 'stage_id']

const newLeadSource = (name: string): Row | { message: string } =>
  name.length <= MAX_NAME ? { id: newId(), name } : { message: `The name of a lead source has at most ${MAX_NAME} characters` }

const assertScope = (scope: string): Statement => call('assert_scopes', `{${scope}}`)

function companyStatements(rows: Row[]): Statement[] {
  const [table] = companyCreates([])
  const validated = { valid: rows.map((value, index) => ({ index, value, creates: true as const })), errors: [] }
  return [assertScope(SCOPES.company), ...bulkStatements([table, validated, insertEach(companies, rows, table.references)]).statements]
}

const sourceStatements = (rows: Row[]): Statement[] => [assertScope(SCOPES.lead_source), insertEach(leadSources, rows, [])]
