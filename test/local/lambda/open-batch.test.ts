import { OpenBatch } from '../../../local/lambda/event-source/open-batch';

/** A million characters, so that six fit into an event of 6 MB. */
const message = (id: number) => ({ MessageId: String(id), Body: 'x'.repeat(1_000_000) });

describe('the batch that is being filled (aws-semantics section 8)', () => {
  test('goes into events of 6 MB at most', () => {
    const open = new OpenBatch();
    open.add(Array.from({ length: 6 }, (_, id) => message(id)));
    expect(open.overflows).toBe(false);
    open.add([6, 7, 8, 9].map(message));
    expect(open.overflows).toBe(true);
    expect(open.size).toBe(10);
    expect(open.take().map(batch => batch.map(({ MessageId }) => MessageId))).toEqual([
      ['0', '1', '2', '3', '4', '5'],
      ['6', '7', '8', '9'],
    ]);
  });

  test('is empty once it is taken', () => {
    const open = new OpenBatch();
    open.add([message(0)]);
    open.take();
    expect(open.size).toBe(0);
    expect(open.overflows).toBe(false);
    expect(open.take()).toEqual([]);
  });

  test('measures each message once, however many come after it', () => {
    let reads = 0;
    const read = (id: number): string => {
      reads += 1;
      return String(id);
    };
    const open = new OpenBatch();
    for (let id = 0; id < 100; id += 1) {
      open.add([
        {
          get MessageId() {
            return read(id);
          },
        },
      ]);
    }
    open.take();
    expect(reads).toBe(100);
  });
});
