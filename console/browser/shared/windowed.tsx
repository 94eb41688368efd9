import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { px } from './text';

/** Rows above and below what is visible, so that a quick scroll meets no gap. */
const MARGIN = 10;

interface WindowedProps {
  readonly count: number;
  /** All rows have the same height, in pixels. */
  readonly rowHeight: number;
  /** Of the list, in pixels. */
  readonly height: number;
  readonly label: string;
  readonly row: (at: number) => ComponentChildren;
  /** Called with the rows that are drawn. */
  readonly shows?: (from: number, to: number) => void;
}

/** A list of which only the visible rows are drawn. */
export function Windowed({ count, rowHeight, height, label, row, shows }: WindowedProps) {
  const [top, setTop] = useState(0);
  const from = Math.max(0, Math.floor(top / rowHeight) - MARGIN);
  const to = Math.min(count, Math.ceil((top + height) / rowHeight) + MARGIN);
  shows?.(from, to);
  return (
    <section
      class="windowed"
      aria-label={label}
      style={{ height: px(Math.min(height, count * rowHeight)) }}
      onScroll={event => setTop(event.currentTarget.scrollTop)}
    >
      <div class="windowed-all" style={{ height: px(count * rowHeight) }}>
        <div class="windowed-rows" style={{ transform: `translateY(${px(from * rowHeight)})` }}>
          {Array.from({ length: Math.max(0, to - from) }, (_, at) => row(from + at))}
        </div>
      </div>
    </section>
  );
}
