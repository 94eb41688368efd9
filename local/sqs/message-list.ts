import type { Message } from './message';

type Link =
  | 'earlier'
  | 'later'
  | 'earlierInGroup'
  | 'laterInGroup'
  | 'earlierInPlace'
  | 'laterInPlace'
  | 'earlierToExpire'
  | 'laterToExpire';

/**
 * Messages in the order in which they came, which any of them can leave: each knows its neighbours, so every step takes
 * the same short time however long the list is.
 */
export class MessageList {
  private head: Message | undefined;
  private tail: Message | undefined;

  /** @param earlier where a message keeps its neighbours in this list */
  constructor(
    private readonly earlier: Link,
    private readonly later: Link,
  ) {}

  get first(): Message | undefined {
    return this.head;
  }

  get last(): Message | undefined {
    return this.tail;
  }

  append(message: Message): void {
    const { tail } = this;
    message[this.earlier] = tail;
    if (tail) tail[this.later] = message;
    else this.head = message;
    this.tail = message;
  }

  /** @param message one that is in the list */
  remove(message: Message): void {
    const before = message[this.earlier];
    const after = message[this.later];
    if (before) before[this.later] = after;
    else this.head = after;
    if (after) after[this.earlier] = before;
    else this.tail = before;
    message[this.earlier] = undefined;
    message[this.later] = undefined;
  }
}
