/** A mail as its reader would see it, in a frame with an origin of its own: nothing in it can reach this page. */
import { type RefObject, useEffect, useRef, useState } from 'react'

interface MailFrameProps {
  html: string
  title: string
  isDark?: boolean
  /** In pixels; without, as wide as there is room. */
  width?: number
  /** Where there is less room than its width, the mail is drawn smaller instead of being laid out narrower. */
  isScaled?: boolean
  /** The frame is as high as the mail, up to this. */
  maxHeight?: number
}

export function MailFrame({
  html,
  title,
  isDark = false,
  width,
  isScaled = false,
  maxHeight = 640,
}: MailFrameProps) {
  const place = useRef<HTMLDivElement>(null)
  const room = useRoom(place)
  const frame = useRef<HTMLIFrameElement>(null)
  const [isReady, setReady] = useState(false)
  const [height, setHeight] = useState(160)
  useEffect(() => {
    const listen = ({ source, data }: MessageEvent<{ isReady?: boolean; height?: number }>) => {
      if (source !== frame.current?.contentWindow) return
      if (data?.isReady) setReady(true)
      if (typeof data?.height === 'number') setHeight(Math.min(Math.max(data.height, 80), maxHeight))
    }
    addEventListener('message', listen)
    return () => removeEventListener('message', listen)
  }, [maxHeight])
  useEffect(() => {
    if (isReady) frame.current?.contentWindow?.postMessage({ html, isDark }, '*')
  }, [isReady, html, isDark])
  const scale = isScaled && width !== undefined && room < width ? room / width : 1
  return (
    <div ref={place} className="w-full overflow-hidden" style={{ height: height * scale }}>
      <iframe
        ref={frame}
        title={title}
        src="/dashboard/mail-frame.html"
        sandbox="allow-scripts allow-popups"
        style={{
          height,
          width: width ?? '100%',
          colorScheme: isDark ? 'dark' : 'light',
          ...(scale < 1 && { transform: `scale(${scale})`, transformOrigin: 'top left' }),
        }}
        className={`mx-auto block rounded-control border border-border ${isScaled ? 'max-w-none' : 'max-w-full'} ${isDark ? 'bg-black' : 'bg-white'}`}
      />
    </div>
  )
}

/** How wide a place is, as it changes. */
function useRoom(place: RefObject<HTMLElement | null>): number {
  const [room, setRoom] = useState(Number.POSITIVE_INFINITY)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setRoom(entry!.contentRect.width))
    observer.observe(place.current!)
    return () => observer.disconnect()
  }, [place])
  return room
}
