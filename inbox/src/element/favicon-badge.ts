/** The number of unread on the icon of the page, which gets its own icon back when there is nothing to say. */

const SIZE = 64
const RED = '#c62828'

export class FaviconBadge {
  #own: { link: HTMLLinkElement; href: string | null; wasAdded: boolean } | undefined
  #showing = 0

  async show(count: number): Promise<void> {
    this.#showing = count
    if (count === 0) return this.#restore()
    this.#own ??= findLink()
    const picture = await load(this.#own.href ?? '/favicon.ico')
    // Others may have been shown while the picture was on its way.
    if (this.#showing === count && this.#own !== undefined) this.#own.link.href = draw(picture, count)
  }

  #restore(): void {
    if (this.#own === undefined) return
    const { link, href, wasAdded } = this.#own
    if (wasAdded) link.remove()
    else if (href !== null) link.setAttribute('href', href)
    this.#own = undefined
  }
}

function findLink() {
  const found = document.querySelector<HTMLLinkElement>('link[rel~=icon]')
  if (found !== null) return { link: found, href: found.getAttribute('href'), wasAdded: false }
  const link = document.createElement('link')
  link.rel = 'icon'
  document.head.append(link)
  return { link, href: null, wasAdded: true }
}

/** Undefined for one that there is none of, or that its origin does not share: the number stands alone then. */
function load(src: string): Promise<HTMLImageElement | undefined> {
  return new Promise(resolve => {
    const image = new Image()
    image.crossOrigin = 'anonymous'
    image.onload = () => resolve(image)
    image.onerror = () => resolve(undefined)
    image.src = src
  })
}

function draw(picture: HTMLImageElement | undefined, count: number): string {
  const canvas = document.createElement('canvas')
  canvas.width = SIZE
  canvas.height = SIZE
  const pen = canvas.getContext('2d')!
  if (picture !== undefined) pen.drawImage(picture, 0, 0, SIZE, SIZE)
  const text = count > 99 ? '99+' : String(count)
  const height = picture === undefined ? SIZE : 40
  const width = Math.min(SIZE, Math.max(height, 14 + text.length * height * 0.5))
  const [left, top] = [SIZE - width, SIZE - height]
  pen.fillStyle = RED
  pen.beginPath()
  pen.roundRect(left, top, width, height, height / 2)
  pen.fill()
  pen.fillStyle = '#fff'
  pen.font = `600 ${height * (text.length > 2 ? 0.6 : 0.75)}px system-ui, sans-serif`
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  pen.fillText(text, left + width / 2, top + height / 2 + 2, width - 6)
  return canvas.toDataURL('image/png')
}
