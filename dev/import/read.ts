import { readRows } from './csv.ts'
import type { Texts } from './folder.ts'
import { readCompanies, readProducts } from './read-catalogue.ts'
import { readOpportunities } from './read-pipeline.ts'
import { readTeams } from './read-teams.ts'
import type { Note } from './report.ts'
import { FILES, type FileName, type Sales } from './sales.ts'

/**
 * Reads the files and corrects values where possible. Every value that is not used unchanged gets a note in `notes`. @throws Complaint
 * for a file that is not part of this data set.
 */
export function readSales(texts: Texts, notes: Note[]): Sales {
  const rows = (file: FileName) => readRows(file, texts[file], [...FILES[file]], notes)
  const files = {
    accounts: rows('accounts.csv'),
    products: rows('products.csv'),
    teams: rows('sales_teams.csv'),
    pipeline: rows('sales_pipeline.csv'),
  }
  const companies = readCompanies(files.accounts)
  const products = readProducts(files.products)
  const { members, byName } = readTeams(files.teams)
  const opportunities = readOpportunities(files.pipeline, { companies, products, members: byName })
  return { companies, products, members, opportunities }
}
