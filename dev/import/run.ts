import type { Client } from './client.ts'
import { compareFigures, figuresIn, figuresOf } from './figures.ts'
import type { Texts } from './folder.ts'
import type { Progress } from './progress.ts'
import { readSales } from './read.ts'
import { count, countNotes, listNotes, type Note, SHOWN } from './report.ts'
import { EMAIL_DOMAIN, type Sales } from './sales.ts'
import type { Job, Tally } from './send.ts'
import { bringCompanies, bringMembers, bringOpportunities, bringPipeline, bringProducts } from './steps.ts'

export interface Outcome {
  notes: Note[]
  tallies: Record<'companies' | 'products' | 'members' | 'pipeline' | 'opportunities', Tally>
  /** True if the API refused nothing and its records agree with the files. */
  good: boolean
}

interface Tools {
  client: Client
  progress: Progress
  /** The notes from reading the files. */
  notes: Note[]
  /** Prints every note. */
  verbose?: boolean
}

/** Imports the files into the workspace and prints a report. */
export async function importSales(texts: Texts, { client, progress, notes, verbose = false }: Tools): Promise<Outcome> {
  const began = performance.now()
  const sales = readSales(texts, notes)
  const list = (some: Note[]) => listNotes(some, verbose ? Number.POSITIVE_INFINITY : SHOWN)
  const print = (lines: string[]) => {
    for (const line of lines) progress.line(line)
  }
  print([`In the files: ${inWords(sales)}; ${countNotes(notes)}.`, ...list(notes), ''])

  const refusals: Note[] = []
  const { tallies, others, pipelineId } = await bring({ client, progress, notes: refusals }, sales)
  const found = compareFigures(figuresOf(sales.opportunities), figuresIn(await client.send('GET', `/pipelines/${pipelineId}/summary`)))
  if (refusals.length > 0) print(['', 'What did not work:', ...list(refusals)])
  print([
    '',
    ...found.lines,
    ...(others > 0 ? [`The pipeline also holds ${count(others)} that are not of these files.`] : []),
    '',
    `${countNotes([...notes, ...refusals])}. ${tookInWords(performance.now() - began, client)}`,
  ])
  const refused = Object.values(tallies).some((tally) => tally.refused > 0)
  return { notes: [...notes, ...refusals], tallies, good: !refused && (found.same || others > 0) }
}

const inWords = ({ companies, products, members, opportunities }: Sales) =>
  `${count(companies.length)} companies, ${count(products.length)} products, ${count(members.length)} members, ` +
  `${count(opportunities.length)} opportunities`

function tookInWords(milliseconds: number, { requests, writes, waited }: Client): string {
  const waits = waited > 0 ? `, ${Math.round(waited / 1000)} s of them waiting for the rate limit` : ''
  return `Took ${(milliseconds / 1000).toFixed(1)} s${waits}: ${count(requests)} requests, ${count(writes)} of them writes.`
}

async function bring(job: Job, { companies, products, members, opportunities }: Sales) {
  const step = async <Out extends { tally: Tally }>(what: string, total: number, work: () => Promise<Out>): Promise<Out> => {
    job.progress.begin(what, total)
    const out = await work()
    job.progress.end(out.tally)
    return out
  }
  const company = await step('Companies', companies.length, () => bringCompanies(job, companies))
  const product = await step('Products', products.length, () => bringProducts(job, products))
  const member = await step('Members', members.length, () => bringMembers(job, members))
  if (member.tally.created > 0) job.progress.line(`               invited at made-up addresses, first.last@${EMAIL_DOMAIN}`)
  const pipeline = await step('Pipeline', 1, () => bringPipeline(job))
  const prices = new Map(products.map(({ key, price }) => [key, price]))
  const known = { companies: company.ids, members: member.ids, products: product.ids, stages: pipeline.stages, prices }
  const opportunity = await step('Opportunities', opportunities.length, () => bringOpportunities(job, pipeline.id, opportunities, known))
  const tallies = {
    companies: company.tally,
    products: product.tally,
    members: member.tally,
    pipeline: pipeline.tally,
    opportunities: opportunity.tally,
  }
  return { tallies, others: opportunity.others, pipelineId: pipeline.id }
}
