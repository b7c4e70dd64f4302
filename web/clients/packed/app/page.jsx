import App from "../Orders.jsx";

export default function Page() {
  return <App />;
}
