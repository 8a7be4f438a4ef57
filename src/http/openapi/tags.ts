import type { Endpoint } from '../endpoint.ts'
import { TAG_DESCRIPTIONS } from './tag-descriptions.ts'

/** The tags of the endpoints, in the order of the endpoint registry. */
export const tagsOf = (endpoints: Endpoint[]) =>
  [...new Set([...endpoints.map(({ tag }) => tag), ...(endpoints.some(({ successor }) => !successor) ? ['Reference'] : [])])].map(
    (name) => ({ name, description: name === 'Reference' ? 'The description of this API.' : (TAG_DESCRIPTIONS[name] ?? '') }),
  )

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const isParameter = (step: string | undefined) => step?.startsWith(':') === true

/**
 * Sorts the endpoints of each tag: first the records themselves (list, create, get, update, delete), then the collections that belong to
 * them.
 */
export function inReadingOrder(endpoints: Endpoint[]): Endpoint[] {
  const tags = [...new Set(endpoints.map(({ tag }) => tag))]
  const collections = [...new Set(endpoints.map(collectionOf))]
  const place = (endpoint: Endpoint) => {
    const collection = collectionOf(endpoint)
    const isAction = !endpoints.some((other) => other.method === 'GET' && collectionOf(other) === collection)
    return [
      tags.indexOf(endpoint.tag),
      collection.split('/').length === 2 && !isAction ? 0 : 1,
      collections.indexOf(collection),
      isParameter(endpoint.path.split('/').at(-1)) ? 1 : 0,
      METHODS.indexOf(endpoint.method),
    ]
  }
  const places = new Map(endpoints.map((endpoint) => [endpoint, place(endpoint)]))
  return endpoints.toSorted((a, b) => compare(places.get(a) as number[], places.get(b) as number[]))
}

/** `/contacts` for `/contacts/:contact_id`. */
const collectionOf = ({ path }: Endpoint) => path.replace(/\/:\w+$/, '')

function compare(a: number[], b: number[]): number {
  const at = a.findIndex((rank, index) => rank !== b[index])
  return at === -1 ? 0 : (a[at] as number) - (b[at] as number)
}
