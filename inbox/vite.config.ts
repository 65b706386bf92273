import { build, defineConfig, type Plugin } from 'vite'
import { nothingOfAServer } from './nothing-of-a-server.ts'
import { shortTemplates } from './short-templates.ts'

/** Modules that share what they have in common, so that a page loads each part once and only when it shows it. */
export default defineConfig({
  plugins: [shortTemplates(), nothingOfAServer(), serviceWorker()],
  build: {
    outDir: 'dist/browser',
    emptyOutDir: true,
    target: 'es2022',
    // The first that have popovers and light-dark(); for older ones, every colour would be written out twice.
    cssTarget: ['chrome123', 'firefox125', 'safari17.5'],
    modulePreload: false,
    lib: {
      entry: {
        'carillon-inbox': 'src/carillon-inbox.ts',
        headless: 'src/headless.ts',
        'on-a-server': 'src/on-a-server.ts',
        react: 'src/react/react.ts',
        playground: 'src/playground/playground.ts',
      },
      formats: ['es'],
    },
    rolldownOptions: {
      external: ['react'],
      output: {
        chunkFileNames: 'part-[name]-[hash].js',
        minify: true,
        // Frameworks that render on a server have to know that components with hooks run in the browser.
        banner: ({ name }) => (name === 'react' ? "'use client';" : ''),
        comments: { annotation: false },
        // Few files compress better than many: the client, which those who draw their own inbox load alone; what every page
        // with the element loads first, with what toasts share with rows; and everything that shows rows.
        codeSplitting: {
          groups: [
            { name: 'client', test: /\/src\/client\//, priority: 2 },
            {
              name: 'element',
              test: /\/src\/element\/carillon-inbox\.ts|directives\/repeat|\/page-address\.ts/,
              priority: 1,
            },
            { name: 'panel', test: /\/src\/element\/panel\.ts/ },
          ],
        },
      },
    },
  },
})

/** A script and no module, all in one file: importScripts() takes nothing else. */
function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    async closeBundle() {
      await build({
        root: import.meta.dirname,
        configFile: false,
        logLevel: 'warn',
        plugins: [nothingOfAServer()],
        build: {
          outDir: 'dist/browser',
          emptyOutDir: false,
          target: 'es2022',
          lib: {
            entry: 'src/push/service-worker.ts',
            formats: ['iife'],
            name: 'carillon',
            fileName: () => 'service-worker.js',
          },
        },
      })
    },
  }
}
