/** For how long FIFO queues and topics know the ids of what was sent to them, and queues those of who received. */
const REMEMBERED_MS = 300_000;

interface Remembered<Value> {
  readonly value: Value;
  readonly atMs: number;
}

/**
 * Remembers a value by its id for five minutes. What is older goes in bulk, so that remembering takes the same short time
 * however much there is; nothing is kept for longer than ten minutes of use.
 */
export class FiveMinuteMemory<Value> {
  private young = new Map<string, Remembered<Value>>();
  private old = new Map<string, Remembered<Value>>();
  private youngSinceMs = Number.NEGATIVE_INFINITY;

  remember(id: string, value: Value, nowMs: number): void {
    this.forget(nowMs);
    this.young.set(id, { value, atMs: nowMs });
  }

  recall(id: string, nowMs: number): Value | undefined {
    const known = this.young.get(id) ?? this.old.get(id);
    return known && nowMs < known.atMs + REMEMBERED_MS ? known.value : undefined;
  }

  clear(): void {
    this.young.clear();
    this.old.clear();
  }

  private forget(nowMs: number): void {
    if (nowMs < this.youngSinceMs + REMEMBERED_MS) return;
    this.old = nowMs < this.youngSinceMs + 2 * REMEMBERED_MS ? this.young : new Map();
    this.young = new Map();
    this.youngSinceMs = nowMs;
  }
}
