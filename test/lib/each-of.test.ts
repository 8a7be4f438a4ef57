import { expect, test } from 'vitest'
import { eachOf } from '../../src/lib/each-of.ts'

test('a limited number at a time, and none after a failure', async () => {
  let [now, most] = [0, 0]
  const begun: number[] = []
  const work = async (item: number) => {
    begun.push(item)
    most = Math.max(most, ++now)
    await new Promise((go) => setTimeout(go, 1))
    now -= 1
    if (item === 6) throw new Error('six')
  }
  await eachOf(2, [1, 2, 3, 4, 5], work)
  expect([begun.splice(0), most]).toEqual([[1, 2, 3, 4, 5], 2])
  await expect(eachOf(2, [5, 6, 7, 8, 9, 10], work)).rejects.toThrow('six')
  expect(begun.length).toBeLessThan(5)
})
