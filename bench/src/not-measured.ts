/** For a required part that the benchmark never calls. */
export async function notMeasured(): Promise<never> {
  throw new Error('not measured here')
}
