import { opportunities } from '../../../../schema/index.ts'
import type { Parent } from '../../../data/children.ts'

/** The record that has tags, line items, links, files and costs below it. */
export const OPPORTUNITY: Parent = { table: opportunities, name: 'opportunity' }
