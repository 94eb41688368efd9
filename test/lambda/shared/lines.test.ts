import { LineBuffer } from '../../../lambda/shared/lines';

/** Lines whose event loop takes its turn when told to. */
function lines() {
  const written: string[] = [];
  const waiting: (() => void)[] = [];
  const under = new LineBuffer(
    text => written.push(text),
    then => waiting.push(then),
  );
  const turn = () => {
    for (const then of waiting.splice(0)) then();
  };
  return { under, written, turn, waiting };
}

describe('Lines of a log', () => {
  test('that come within one turn of the event loop are one write, in their order', () => {
    const { under, written, turn } = lines();
    under.add('{"order":1}');
    under.add('{"order":2}');
    expect(written).toEqual([]);
    turn();
    expect(written).toEqual(['{"order":1}\n{"order":2}\n']);
  });

  test('that come in another turn are another write', () => {
    const { under, written, turn } = lines();
    under.add('first');
    turn();
    under.add('second');
    turn();
    expect(written).toEqual(['first\n', 'second\n']);
  });

  test('are written at once where nothing may wait, and never twice', () => {
    const { under, written, turn } = lines();
    under.add('first');
    under.flush();
    expect(written).toEqual(['first\n']);
    under.flush();
    turn();
    expect(written).toEqual(['first\n']);
  });

  test('that come after such a write wait for a turn again, and wait for one alone', () => {
    const { under, written, turn, waiting } = lines();
    under.add('first');
    turn();
    under.add('second');
    under.add('third');
    expect(waiting).toHaveLength(1);
    turn();
    expect(written).toEqual(['first\n', 'second\nthird\n']);
  });
});
