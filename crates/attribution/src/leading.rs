//! Finds the nodes of a graph that lead to marked ones.

/// Tells for each of `nodes` nodes whether it is marked or leads to a marked one.
pub fn that_lead_to<'g>(
    nodes: usize,
    next: impl Fn(usize) -> &'g [u32],
    is_marked: impl Fn(usize) -> bool,
) -> Vec<bool> {
    let mut lead: Vec<bool> = (0..nodes).map(is_marked).collect();
    let mut work: Vec<u32> = marked(&lead);
    if work.is_empty() {
        return lead;
    }
    let previous = Previous::of(nodes, &next);
    while let Some(node) = work.pop() {
        for from in previous.to(node) {
            if let Some(leads @ false) = lead.get_mut(*from as usize) {
                *leads = true;
                work.push(*from);
            }
        }
    }
    lead
}

fn marked(marks: &[bool]) -> Vec<u32> {
    let numbered = (0..).zip(marks).filter(|(_, is_marked)| **is_marked);
    numbered.map(|(node, _)| node).collect()
}

/// The edges of a graph, backwards.
struct Previous {
    /// Where those to each node end in `from`; they start where the ones before them end.
    ends: Vec<usize>,
    from: Vec<u32>,
}

impl Previous {
    fn of<'g>(nodes: usize, next: impl Fn(usize) -> &'g [u32]) -> Previous {
        let edges = || (0..nodes).flat_map(|from| next(from).iter().map(move |to| (from, *to)));
        let mut ends = vec![0; nodes];
        for (_, to) in edges() {
            if let Some(count) = ends.get_mut(to as usize) {
                *count += 1;
            }
        }
        let mut all = 0;
        for end in &mut ends {
            let count = std::mem::replace(end, all);
            all += count;
        }
        let mut from = vec![0; all];
        for (node, to) in edges() {
            if let Some(end) = ends.get_mut(to as usize) {
                if let Some(place) = from.get_mut(*end) {
                    *place = node as u32;
                }
                *end += 1;
            }
        }
        Previous { ends, from }
    }

    fn to(&self, node: u32) -> &[u32] {
        let node = node as usize;
        let end = |node: usize| self.ends.get(node).copied().unwrap_or_default();
        let range = node.checked_sub(1).map_or(0, end)..end(node);
        self.from.get(range).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lead(graph: &[Vec<u32>], marked: &[usize]) -> Vec<bool> {
        that_lead_to(
            graph.len(),
            |node| &graph[node],
            |node| marked.contains(&node),
        )
    }

    #[test]
    fn whoever_leads_to_a_mark_is_found() {
        let check = |story: &str, graph: &[Vec<u32>], marked: &[usize], expected: &[usize]| {
            let lead = lead(graph, marked);
            let found: Vec<usize> = (0..graph.len()).filter(|node| lead[*node]).collect();
            assert_eq!(found, expected, "{story}");
        };
        check("nothing at all", &[], &[], &[]);
        let row = [vec![1], vec![2], vec![]];
        check("no mark", &row, &[], &[]);
        check("backwards, not forwards", &row, &[1], &[0, 1]);
        let ring = [vec![1], vec![2], vec![0], vec![3]];
        check("a ring, and one beside it", &ring, &[2], &[0, 1, 2]);
    }

    proptest! {
        #[test]
        fn it_is_what_walking_from_each_node_finds(
            edges in prop::collection::vec((0..20u32, 0..20u32), 0..60),
            marked in prop::collection::vec(0..20usize, 0..4),
        ) {
            let mut graph = vec![Vec::new(); 20];
            for (from, to) in edges {
                graph[from as usize].push(to);
            }
            let walked = |start: usize| {
                let (mut seen, mut work) = (vec![false; 20], vec![start as u32]);
                while let Some(node) = work.pop() {
                    if !std::mem::replace(&mut seen[node as usize], true) {
                        work.extend(&graph[node as usize]);
                    }
                }
                marked.iter().any(|mark| seen[*mark])
            };
            let expected: Vec<bool> = (0..20).map(walked).collect();
            prop_assert_eq!(lead(&graph, &marked), expected);
        }
    }
}
