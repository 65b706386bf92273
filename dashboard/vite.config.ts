import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { themedTokens } from './themed-tokens.ts'

/** One small entry; each page is a part of its own, so that the editors and charts load only where they are shown. */
export default defineConfig({
  base: '/dashboard/',
  plugins: [themedTokens(), react(), tailwindcss()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // Says what each page loads, for .size-limit.mjs.
    manifest: true,
    assetsDir: 'files',
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox125', 'safari17.5'],
    // The policy of the page allows no data: in styles or scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: 'index.html', 'mail-frame': 'mail-frame.html' },
      output: {
        entryFileNames: 'files/[name]-[hash].js',
        chunkFileNames: 'files/[name]-[hash].js',
        assetFileNames: 'files/[name]-[hash][extname]',
      },
    },
  },
})
