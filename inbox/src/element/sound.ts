/** Two soft notes. Browsers keep a page silent until its visitor has touched it, and so does this. */

const NOTES = [
  { hertz: 880, at: 0 },
  { hertz: 1318.5, at: 0.12 },
]
const LENGTH_S = 0.35
const VOLUME = 0.08

let context: AudioContext | undefined

export async function playTone(): Promise<void> {
  if (!navigator.userActivation?.hasBeenActive) return
  context ??= new AudioContext()
  await context.resume()
  const now = context.currentTime
  for (const { hertz, at } of NOTES) playNote(context, hertz, now + at)
}

function playNote(audio: AudioContext, hertz: number, at: number): void {
  const tone = new OscillatorNode(audio, { frequency: hertz })
  const volume = new GainNode(audio, { gain: 0 })
  volume.gain.setValueAtTime(0, at)
  volume.gain.linearRampToValueAtTime(VOLUME, at + 0.01)
  volume.gain.exponentialRampToValueAtTime(0.0001, at + LENGTH_S)
  tone.connect(volume).connect(audio.destination)
  tone.start(at)
  tone.stop(at + LENGTH_S)
}
