import { describe, expect, it } from 'vitest'
import { createPlaces } from './places.ts'

const patient = () => new AbortController().signal

describe('places', () => {
  it('are never more than there are, and go to those who wait in their order', async () => {
    const places = createPlaces(2)
    const entered: number[] = []
    const enter = async (n: number) => {
      const place = await places.take(patient())
      entered.push(n)
      return place
    }
    const [first, second, third, fourth] = [1, 2, 3, 4].map(enter)
    const firstPlace = await first!
    const secondPlace = await second!
    expect(entered).toEqual([1, 2])
    firstPlace.leave()
    firstPlace.leave()
    await third
    expect(entered).toEqual([1, 2, 3])
    secondPlace.leave()
    await fourth
    expect(entered).toEqual([1, 2, 3, 4])
  })

  it('are not kept for those who gave up', async () => {
    const places = createPlaces(1)
    const place = await places.take(patient())
    const controller = new AbortController()
    const impatient = places.take(controller.signal)
    const next = places.take(patient())
    controller.abort()
    await expect(impatient).rejects.toThrow('aborted')
    place.leave()
    expect(await next).toBeDefined()
  })

  it('are passed on only when what they stand for is free again', async () => {
    const places = createPlaces(1)
    const place = await places.take(patient())
    const happened: string[] = []
    const next = places.take(patient()).then(() => happened.push('entered'))
    let finish: () => void = () => {}
    place.keepUntil(
      new Promise<void>(resolve => {
        finish = resolve
      }).then(() => happened.push('finished')),
    )
    place.leave()
    finish()
    await next
    expect(happened).toEqual(['finished', 'entered'])
  })

  it('are refused once closed, also to those who wait', async () => {
    const places = createPlaces(1)
    await places.take(patient())
    const waiting = places.take(patient())
    places.close()
    await expect(waiting).rejects.toThrow('closed')
    await expect(places.take(patient())).rejects.toThrow()
  })
})
