import type { MapEdge, MapGroup, MapNode } from '../../api';

/** The left edge and the width of each column, in pixels. */
export const COLUMNS = [
  { x: 0, width: 180, title: 'Topics, rules, schedules' },
  { x: 208, width: 152, title: 'Deliveries' },
  { x: 390, width: 202, title: 'Queues' },
  { x: 634, width: 202, title: 'Functions, endpoints' },
  { x: 878, width: 234, title: 'Dead-letter queues' },
] as const;

export const MAP_WIDTH = 1_112;

const NODE_HEIGHT = 34;
const DELIVERY_HEIGHT = 24;
const MARK_HEIGHT = 17;
/** An edge that passes a column takes room there, so that it crosses no node. */
const PASSING_HEIGHT = 8;
const GAP = 10;

export interface PlacedNode {
  readonly node: MapNode;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface PlacedEdge {
  readonly edge: MapEdge;
  readonly path: string;
}

export interface PlacedGroup {
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

/** A node, or the place where an edge passes a column. */
interface Slot {
  readonly id: string;
  readonly column: number;
  readonly height: number;
  readonly node?: MapNode;
  /** The middle. */
  y: number;
}

interface Route {
  readonly edge: MapEdge;
  readonly slots: readonly Slot[];
}

function heightOf({ kind, marks }: MapNode): number {
  return (kind === 'delivery' ? DELIVERY_HEIGHT : NODE_HEIGHT) + (marks.length > 0 ? MARK_HEIGHT : 0);
}

/** The slots of a group by column, and the slots that each edge goes through from left to right. */
function slotsOf({ nodes, edges }: MapGroup): { readonly columns: Slot[][]; readonly routes: readonly Route[] } {
  const columns: Slot[][] = COLUMNS.map(() => []);
  const add = (slot: Slot): Slot => {
    columns[slot.column]?.push(slot);
    return slot;
  };
  const byId = new Map(
    nodes.map(node => [node.id, add({ id: node.id, column: node.column, height: heightOf(node), node, y: 0 })]),
  );
  const routes = edges.flatMap((edge): Route[] => {
    const [from, to] = [byId.get(edge.from), byId.get(edge.to)];
    if (!from || !to) return [];
    const passed = Array.from({ length: Math.max(0, to.column - from.column - 1) }, (_, at) =>
      add({ id: `${edge.from} ${edge.to} ${at}`, column: from.column + 1 + at, height: PASSING_HEIGHT, y: 0 }),
    );
    return [{ edge, slots: [from, ...passed, to] }];
  });
  return { columns, routes };
}

type Neighbours = ReadonlyMap<Slot, readonly Slot[]>;

/** The neighbours of each slot in the columns on its left and on its right. Edges within a column and backwards do not count. */
function neighboursOf(routes: readonly Route[]): { readonly left: Neighbours; readonly right: Neighbours } {
  const left = new Map<Slot, Slot[]>();
  const right = new Map<Slot, Slot[]>();
  const add = (map: Map<Slot, Slot[]>, from: Slot, to: Slot): void => {
    map.set(from, [...(map.get(from) ?? []), to]);
  };
  for (const { slots } of routes) {
    for (const [at, to] of slots.entries()) {
      const from = slots[at - 1];
      if (!from || from.column >= to.column) continue;
      add(left, to, from);
      add(right, from, to);
    }
  }
  return { left, right };
}

const mean = (values: readonly number[]): number => values.reduce((sum, it) => sum + it, 0) / values.length;

const SWEEPS = 8;

/** Orders each column by the mean place of its neighbours, from left to right and back, so that few edges cross. */
function order(columns: readonly Slot[][], left: Neighbours, right: Neighbours): void {
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isForward = sweep % 2 === 0;
    const near = isForward ? left : right;
    for (const column of isForward ? columns : [...columns].reverse()) {
      const place = new Map(
        columns.flatMap(slots => slots.map((slot, at) => [slot, at / Math.max(1, slots.length)] as const)),
      );
      const wish = new Map(
        column.map((slot, at) => {
          const places = (near.get(slot) ?? []).map(it => place.get(it) ?? 0);
          return [slot, places.length === 0 ? at / Math.max(1, column.length) : mean(places)];
        }),
      );
      column.sort((one, other) => (wish.get(one) ?? 0) - (wish.get(other) ?? 0));
    }
  }
}

/** A run of slots that touch each other, and what they wish for together. */
interface Block {
  readonly slots: readonly Slot[];
  readonly offsets: readonly number[];
  readonly top: number;
  readonly size: number;
}

function blockOf(slots: readonly Slot[], wishes: ReadonlyMap<Slot, number>): Block {
  let size = 0;
  const offsets = slots.map(({ height }) => {
    const offset = size + height / 2;
    size += height + GAP;
    return offset;
  });
  const top = mean(slots.map((slot, at) => (wishes.get(slot) ?? 0) - (offsets[at] ?? 0)));
  return { slots, offsets, top, size };
}

/** Moves the slots of a column as near as possible to where they wish to be, without overlap and in order. */
function place(column: readonly Slot[], wishes: ReadonlyMap<Slot, number>): void {
  const blocks: Block[] = [];
  for (const slot of column) {
    let block = blockOf([slot], wishes);
    for (let last = blocks.at(-1); last && last.top + last.size > block.top; last = blocks.at(-1)) {
      blocks.pop();
      block = blockOf([...last.slots, ...block.slots], wishes);
    }
    blocks.push(block);
  }
  for (const { slots, offsets, top } of blocks) {
    for (const [at, slot] of slots.entries()) slot.y = top + (offsets[at] ?? 0);
  }
}

function straighten(columns: readonly Slot[][], left: Neighbours, right: Neighbours): void {
  for (const column of columns) place(column, new Map(column.map((slot, at) => [slot, at * (NODE_HEIGHT + GAP)])));
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const column of sweep % 2 === 0 ? columns : [...columns].reverse()) {
      const wishes = column.map(slot => {
        const near = [...(left.get(slot) ?? []), ...(right.get(slot) ?? [])];
        return [slot, near.length === 0 ? slot.y : mean(near.map(it => it.y))] as const;
      });
      place(column, new Map(wishes));
    }
  }
}

function xOf({ column }: Slot, side: 'left' | 'right'): number {
  const { x = 0, width = 0 } = COLUMNS[column] ?? {};
  return side === 'left' ? x : x + width;
}

/** A line through the slots, level where it leaves, passes and enters. */
function pathOf({ slots }: Route): string {
  const [from, ...others] = slots;
  const last = others.at(-1);
  if (!from || !last) return '';
  if (last.column <= from.column) {
    const x = Math.max(xOf(from, 'right'), xOf(last, 'right'));
    return `M${xOf(from, 'right')} ${from.y} C${x + 40} ${from.y} ${x + 40} ${last.y} ${xOf(last, 'right')} ${last.y}`;
  }
  let [x, y] = [xOf(from, 'right'), from.y];
  let path = `M${x} ${y}`;
  for (const slot of others) {
    const next = xOf(slot, 'left');
    const bend = (next - x) / 2;
    path += ` C${x + bend} ${y} ${next - bend} ${slot.y} ${next} ${slot.y}`;
    if (!slot.node) path += ` L${xOf(slot, 'right')} ${slot.y}`;
    [x, y] = [xOf(slot, 'right'), slot.y];
  }
  return path;
}

/** Places the nodes and edges of a group in columns. */
export function placedGroup(group: MapGroup): PlacedGroup {
  const { columns, routes } = slotsOf(group);
  const { left, right } = neighboursOf(routes);
  order(columns, left, right);
  straighten(columns, left, right);
  const slots = columns.flat();
  const top = Math.min(...slots.map(({ y, height }) => y - height / 2));
  for (const slot of slots) slot.y -= top;
  const nodes = slots.flatMap(({ node, column, height, y }): PlacedNode[] => {
    const { x = 0, width = 0 } = COLUMNS[column] ?? {};
    return node ? [{ node, x, y: y - height / 2, width, height }] : [];
  });
  return {
    height: Math.max(...slots.map(({ y, height }) => y + height / 2)),
    nodes,
    edges: routes.map(it => ({ edge: it.edge, path: pathOf(it) })),
  };
}
