import path from 'node:path';

/** The built page. It is at this path from this file and from the bundle `dist/bin/dlo.js`. */
export const PAGE_FOLDER = path.join(__dirname, '../../dist/console');
