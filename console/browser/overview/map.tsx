import { signal } from '@preact/signals';
import { useMemo, useState } from 'preact/hooks';
import type { Depths, GroupAttention, LevelsDocument, MapDocument, MapGroup, MapNode } from '../../api';
import { link } from '../shared/router';
import { counted, formatNumber, px, shortNumber } from '../shared/text';
import { COLUMNS, MAP_WIDTH, type PlacedNode, placedGroup } from './map-layout';

/** The node that the pointer or the keyboard is on. Its edges are drawn strongly. */
const near = signal<string | undefined>(undefined);

const EMPTY: LevelsDocument = { depths: {}, alarms: {}, otherAlarms: [], groups: [] };

/** Groups up to this number are all drawn, quiet or not. */
const FEW_GROUPS = 4;

/** Groups that are drawn without a click. */
const MOST_GROUPS = 20;

export function MessageMap({
  map,
  levels = EMPTY,
}: {
  readonly map: MapDocument;
  readonly levels?: LevelsDocument | undefined;
}) {
  const [isAll, setAll] = useState(false);
  const byId = new Map(map.groups.map(it => [it.id, it]));
  const ordered: readonly GroupAttention[] =
    levels.groups.length > 0 ? levels.groups : map.groups.map(({ id }) => ({ id, needs: null }));
  const inNeed = ordered.filter(it => it.needs !== null).slice(0, MOST_GROUPS);
  const drawn = isAll || ordered.length <= FEW_GROUPS ? ordered : inNeed;
  const quiet = ordered.length - drawn.length;
  if (ordered.length === 0) return <p class="empty">No topic, queue, rule or schedule is in this Region.</p>;
  return (
    <section class="map" aria-label="Map of topics, deliveries, queues and dead-letter queues">
      <div class="map-scroll">
        <div class="map-canvas">
          <div class="map-heads" aria-hidden="true">
            {COLUMNS.map(({ title, x, width }) => (
              <span key={title} style={{ left: px(x), width: px(width) }}>
                {title}
              </span>
            ))}
          </div>
          {drawn.flatMap(({ id }) => {
            const group = byId.get(id);
            return group ? [<Group key={id} group={group} levels={levels} />] : [];
          })}
        </div>
      </div>
      {(quiet > 0 || isAll) && (
        <button type="button" class="quiet" onClick={() => setAll(!isAll)}>
          {isAll
            ? 'Show what needs attention'
            : `Show ${counted(quiet, 'more group', 'more groups')} of resources, the quiet ones included`}
        </button>
      )}
    </section>
  );
}

function Group({ group, levels }: { readonly group: MapGroup; readonly levels: LevelsDocument }) {
  const { height, nodes, edges } = useMemo(() => placedGroup(group), [group]);
  const of = near.value;
  return (
    <div class="map-group" style={{ height: px(height) }}>
      <svg width={MAP_WIDTH} height={height} aria-hidden="true">
        {edges.map(({ edge, path }) => (
          <path
            key={`${edge.from} ${edge.to} ${edge.kind}`}
            class={`edge ${edge.kind} ${isFed(edge, levels) ? 'fed' : ''} ${edge.from === of || edge.to === of ? 'near' : ''}`}
            d={path}
          />
        ))}
      </svg>
      {nodes.map(it => (
        <Node key={it.node.id} placed={it} levels={levels} />
      ))}
    </div>
  );
}

/** Whether dead letters lie at the end of an edge. */
function isFed({ to, kind }: MapGroup['edges'][number], { depths }: LevelsDocument): boolean {
  return kind === 'dead-letters' && totalOf(depths[to]) > 0;
}

function totalOf(depths: Depths | undefined): number {
  return depths ? depths.visible + depths.inFlight + depths.delayed : 0;
}

function Node({
  placed: { node, x, y, width, height },
  levels,
}: {
  readonly placed: PlacedNode;
  readonly levels: LevelsDocument;
}) {
  const { id, kind, name, shortName, marks } = node;
  const alarms = levels.alarms[id] ?? [];
  const depths = levels.depths[id];
  const isHolding = kind === 'dead-letter-queue' && totalOf(depths) > 0;
  const title = [name, ...marks.map(it => it.says), ...alarms.map(it => `ALARM: ${it}`), numbersText(depths)]
    .join('\n')
    .trim();
  const on = {
    onMouseEnter: () => {
      near.value = id;
    },
    onMouseLeave: () => {
      near.value = undefined;
    },
    onFocus: () => {
      near.value = id;
    },
    onBlur: () => {
      near.value = undefined;
    },
  };
  const contents = (
    <>
      <span class="node-line">
        <span class="node-name">{shortName}</span>
        {alarms.length > 0 && <span class="badge alarm">ALARM</span>}
        <Level node={node} depths={depths} />
      </span>
      {marks.length > 0 && (
        <span class={`node-mark ${marks[0]?.severity ?? ''}`}>{marks.map(it => it.says).join(', ')}</span>
      )}
    </>
  );
  const shared = {
    class: `node ${kind} ${isHolding ? 'holding' : ''} ${alarms.length > 0 ? 'firing' : ''}`,
    style: { left: px(x), top: px(y), width: px(width), height: px(height) },
    title,
    ...on,
  };
  return kind === 'queue' || kind === 'dead-letter-queue' ? (
    <a {...shared} href={link('queue', name)}>
      {contents}
    </a>
  ) : (
    <div {...shared}>{contents}</div>
  );
}

function numbersText(depths: Depths | undefined): string {
  if (!depths) return '';
  const { visible, inFlight, delayed } = depths;
  return `${formatNumber(visible)} visible, ${formatNumber(inFlight)} in flight, ${formatNumber(delayed)} delayed`;
}

function Level({ node: { kind }, depths }: { readonly node: MapNode; readonly depths: Depths | undefined }) {
  if (kind !== 'queue' && kind !== 'dead-letter-queue') return null;
  const total = totalOf(depths);
  return <span class={`level ${total > 0 ? 'some' : ''}`}>{depths ? shortNumber(total) : '?'}</span>;
}
