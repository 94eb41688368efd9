import { packageRoot } from '../../lib/shared/package-root';
import { jsiiAssembly } from '../support/jsii-assembly';

const types = Object.values(jsiiAssembly(packageRoot()).types);
const members = types.flatMap(({ fqn, datatype, properties = [], methods = [] }) =>
  [...properties, ...methods].map(member => ({ where: `${fqn}.${member.name}`, isProp: datatype === true, ...member })),
);

describe('The public API', () => {
  test('is there', () => {
    expect(types.map(({ fqn }) => fqn)).toEqual(
      expect.arrayContaining(
        ['DurableTopic', 'DeadLetterQueue', 'ProcessingQueue', 'RentalOrders'].map(
          name => `dead-letter-office.${name}`,
        ),
      ),
    );
  });

  test('says of every type and member what it is', () => {
    const silent = [
      ...types.filter(({ docs }) => !docs?.summary).map(({ fqn }) => fqn),
      ...members.filter(({ docs, overrides }) => !docs?.summary && !overrides).map(({ where }) => where),
    ];
    expect(silent).toEqual([]);
  });

  test('says of every optional property what it is without', () => {
    const optional = members.filter(({ isProp, optional }) => isProp && optional);
    expect(optional.length).toBeGreaterThan(20);
    expect(optional.filter(({ docs }) => !docs?.default).map(({ where }) => where)).toEqual([]);
  });
});
