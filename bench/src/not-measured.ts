/** Stands where a part is required that the benchmark never calls. */
export async function notMeasured(): Promise<never> {
  throw new Error('not measured here')
}
