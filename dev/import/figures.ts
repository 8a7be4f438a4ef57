import { count } from './report.ts'
import { type Opportunity, PIPELINE } from './sales.ts'

/** The number of opportunities, and their value in cents. */
export interface Figure {
  name: string
  count: number
  cents?: number
}

const NO_COMPANY = 'no company'

export function figuresOf(opportunities: Opportunity[]): Figure[] {
  const stages = PIPELINE.stages.map(({ name }) => {
    const some = opportunities.filter(({ stage }) => stage === name)
    return { name, count: some.length, cents: some.reduce((cents, { value }) => cents + Math.round(value * 100), 0) }
  })
  return [...stages, { name: NO_COMPANY, count: opportunities.filter(({ company }) => company === null).length }]
}

interface Summary {
  stages: { name: string; count: number; value: number }[]
  without_company: number
}

/** The same numbers from the pipeline report. */
export function figuresIn({ stages, without_company }: Summary): Figure[] {
  const found = stages.map(({ name, count, value }) => ({ name, count, cents: Math.round(value * 100) }))
  return [...found, { name: NO_COMPANY, count: without_company }]
}

/** A stage that only one side has is treated as empty on the other. */
const isSame = (left: Figure | undefined, right: Figure | undefined) =>
  (left?.count ?? 0) === (right?.count ?? 0) && (left?.cents ?? 0) === (right?.cents ?? 0)

/** Prints both side by side, and returns whether they are equal. */
export function compareFigures(files: Figure[], api: Figure[]): { lines: string[]; same: boolean } {
  const names = Map.groupBy([...files, ...api], ({ name }) => name.toLowerCase())
  const rows = [...names].map(([key, all]) => {
    const [left, right] = [files, api].map((figures) => figures.find(({ name }) => name.toLowerCase() === key))
    return { name: all[0]!.name, left, right, same: isSame(left, right) }
  })
  const cells = (figure: Figure | undefined) => `${(figure ? count(figure.count) : '–').padStart(8)} ${inMoney(figure?.cents).padStart(17)}`
  const lines = rows.map(({ name, left, right, same }) =>
    `${name.padEnd(14)}${cells(left)}  ${cells(right)}${same ? '' : '  differs'}`.trimEnd(),
  )
  return { lines: [`${''.padEnd(14)}${'files'.padStart(26)}  ${'pipeline'.padStart(26)}`, ...lines], same: rows.every(({ same }) => same) }
}

const inMoney = (cents: number | undefined) =>
  cents === undefined ? '' : (cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
