/** The inks of the plot, for a light and for a dark page; the page itself shows through. */
const INKS = {
  light: { text: '#1f2328', muted: '#59636e', line: '#d1d9e0', band: '#59636e', front: '#0969da' },
  dark: { text: '#f0f6fc', muted: '#9198a1', line: '#3d444d', band: '#9198a1', front: '#4493f8' },
} as const;

type Ink = (typeof INKS)[keyof typeof INKS];

function rules({ text, muted, line, band, front }: Ink): string {
  return [
    `.text{fill:${text}}`,
    `.muted{fill:${muted}}`,
    `.grid{stroke:${line}}`,
    `.axis,.edge{stroke:${muted}}`,
    `.band{fill:${band}}`,
    `.front{stroke:${front}}`,
    `.dot,.frontText{fill:${front}}`,
    `.behind{stroke:${muted}}`,
  ].join('');
}

const SHAPES = [
  'text{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif}',
  '.title{font-size:15px;font-weight:600}',
  '.grid,.axis{stroke-width:1}',
  '.edge{stroke-width:1;stroke-dasharray:2 3}',
  '.band{fill-opacity:.09}',
  '.front{fill:none;stroke-width:2;stroke-linejoin:round}',
  '.behind{fill:none;stroke-width:1.5;stroke-opacity:.75}',
  '.arithmetic{stroke-dasharray:7 3}',
  '.geometric{stroke-dasharray:3 3}',
  '.exponential{stroke-dasharray:8 3 2 3}',
  '.linear{stroke-dasharray:1 3;stroke-linecap:round}',
  '.front{stroke-dasharray:none}',
].join('');

/** The style sheet of the plot: light by default, dark where the reader prefers it. */
export const PLOT_STYLE = `${SHAPES}${rules(INKS.light)}@media (prefers-color-scheme:dark){${rules(INKS.dark)}}`;
