/** A request that was answered, as the log and the metrics tell about it. */
export interface ServedRequest {
  method: string
  /** The pattern and not the path, which may contain ids, addresses and signed links; '' where there is no such route. */
  route: string
  status: number
  durationMs: number
}
