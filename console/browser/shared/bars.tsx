/** A small chart of numbers over time. */
export function Bars({ values }: { readonly values: readonly number[] }) {
  const most = Math.max(...values, 1);
  const total = values.reduce((sum, it) => sum + it, 0);
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${values.length * 3} 24`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${total} arrived`}
    >
      <title>{`${total} arrived; at most ${Math.max(...values)} in five minutes`}</title>
      {values.map((value, at) => {
        const height = value === 0 ? 0.5 : Math.max(1.5, (value / most) * 23);
        return <rect key={at} x={at * 3} y={24 - height} width={2} height={height} class={value === 0 ? 'none' : ''} />;
      })}
    </svg>
  );
}
