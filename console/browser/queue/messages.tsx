import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { MessageDetail, MessageRow } from '../../api/queue';
import { Facts } from '../shared/copy';
import { link } from '../shared/router';
import { CallFailed, call, useFeed } from '../shared/server-connection';
import { counted, formatInstant, formatNumber, px } from '../shared/text';
import { seriesOf } from './causes';

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
function Windowed({ count, rowHeight, height, label, row, shows }: WindowedProps) {
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

const PAGE = 200;
const ROW_HEIGHT = 30;
const LIST_HEIGHT = 420;

type Choice = { readonly look: string; readonly cause: string };

/** The messages that a look saw: searched on the server, and drawn as far as they are visible. */
export function Messages({ look, cause }: Choice) {
  const [filter, setFilter] = useState('');
  const [problem, setProblem] = useState<string>();
  const [detail, setDetail] = useState<MessageDetail>();
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      setProblem(undefined);
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      setProblem(error.message);
    }
  };
  const save = () =>
    attempt(async () => {
      const { fileName, text } = await call('queue/export', { look, cause, filter });
      download(fileName, text);
    });
  const open = (id: string) => attempt(async () => setDetail(await call('queue/message', { look, id })));
  return (
    <section class="card" aria-labelledby="messages">
      <h2 id="messages">Messages</h2>
      <div class="search">
        <label>
          Filter (JMESPath over data, body, attributes, who, …)
          <input
            type="search"
            spellcheck={false}
            placeholder="data.customer == 'c-1'"
            onChange={event => setFilter(event.currentTarget.value)}
          />
        </label>
        <button type="button" onClick={save}>
          Export these
        </button>
      </div>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <List key={`${cause} ${filter}`} look={look} cause={cause} filter={filter} attempt={attempt} open={open} />
      {detail && <Detail key={detail.id} message={detail} />}
    </section>
  );
}

function download(fileName: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/jsonl' }));
  Object.assign(document.createElement('a'), { href: url, download: fileName }).click();
  URL.revokeObjectURL(url);
}

interface ListProps extends Choice {
  readonly filter: string;
  readonly attempt: (work: () => Promise<void>) => Promise<void>;
  readonly open: (id: string) => void;
}

function List({ look, cause, filter, attempt, open }: ListProps) {
  const [total, setTotal] = useState<number>();
  const [rows, setRows] = useState<ReadonlyMap<number, MessageRow>>(new Map());
  const asked = useRef(new Set<number>());
  const read = (page: number): void => {
    if (asked.current.has(page)) return;
    asked.current.add(page);
    void attempt(async () => {
      const found = await call('queue/messages', { look, filter, cause, from: page * PAGE, count: PAGE });
      setTotal(found.total);
      setRows(before => new Map([...before, ...found.messages.map((it, at) => [page * PAGE + at, it] as const)]));
    });
  };
  useEffect(() => read(0), []);
  const shows = (from: number, to: number): void => {
    read(Math.floor(from / PAGE));
    read(Math.floor(Math.max(0, to - 1) / PAGE));
  };
  return (
    <>
      <p class="sub" role="status">
        {total === undefined ? 'Searching …' : counted(total, 'message', 'messages')}
      </p>
      <Windowed
        count={total ?? 0}
        rowHeight={ROW_HEIGHT}
        height={LIST_HEIGHT}
        label="Rows"
        shows={shows}
        row={at => <Row key={at} row={rows.get(at)} open={open} />}
      />
    </>
  );
}

function Row({ row, open }: { readonly row: MessageRow | undefined; readonly open: (id: string) => void }) {
  return (
    <button type="button" class="message-row" onClick={() => row && open(row.id)}>
      <span class={`swatch ${seriesOf(row?.cause ?? null)}`} />
      <span class="when">{row ? formatInstant(row.sentAtMs) : '…'}</span>
      <span class="writer">{row?.writer}</span>
      <span class="beginning">{row?.beginning}</span>
    </button>
  );
}

/** Characters of a text that are shown: a browser is slow with more. */
const MOST_CHARACTERS = 100_000;

function Text({ text }: { readonly text: string }) {
  const more = text.length - MOST_CHARACTERS;
  return (
    <>
      <pre>{more > 0 ? text.slice(0, MOST_CHARACTERS) : text}</pre>
      {more > 0 && <p class="sub">{formatNumber(more)} more characters are in the export.</p>}
    </>
  );
}

/** Everything is text: a body is never taken for markup. */
function Detail({ message }: { readonly message: MessageDetail }) {
  const { id, sentAtMs, receiveCount, expiresAtMs, mayExpireLater, groupId, movedFromArn, attributes } = message;
  const { reports, payload, body } = message;
  const status = useFeed('status');
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const rows: (readonly [string, string])[] = [
    ['First sent', formatInstant(sentAtMs)],
    ['Expires', `${formatInstant(expiresAtMs)}${mayExpireLater ? ' or later' : ''}`],
    ['Received', `${counted(receiveCount, 'time', 'times')}, looks included`],
  ];
  if (groupId !== null) rows.push(['Group', groupId]);
  if (movedFromArn !== null) rows.push(['Moved from', `${movedFromArn}, by SQS`]);
  for (const report of reports) rows.push(['Source', report]);
  return (
    <article class="detail" aria-label={`Message ${id}`}>
      <h3 ref={heading} tabIndex={-1}>
        {id}
      </h3>
      <Facts rows={rows} />
      {status.document?.kind === 'simulation' && (
        <p>
          <a href={link('journey', id)}>Its journey</a>
        </p>
      )}
      <h4>Payload</h4>
      <Text text={payload} />
      {attributes.length > 0 && (
        <>
          <h4>Attributes</h4>
          <Facts rows={attributes.map(({ name, type, value }) => [name, `${value} (${type})`] as const)} />
        </>
      )}
      {body !== payload && (
        <details>
          <summary>Whole body</summary>
          <Text text={body} />
        </details>
      )}
    </article>
  );
}
