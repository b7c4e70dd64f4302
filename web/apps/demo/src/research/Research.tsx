export function Research() {
  return <main className="main" />;
}
